-- logs | stats n=count() by bucket(30m), service.name | extend place = rank(n), `before` = lag(n) within service.name | sort service.name, time
WITH anyOrNull(c16) OVER (PARTITION BY c15 ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c14, 9, 'UTC')), 1800000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c19,
  c19 AS c20
SELECT c14 AS r1,
  c15 AS r2,
  c16 AS r3,
  c18 AS r4,
  c20 AS r5
FROM (
  WITH rank() OVER (PARTITION BY c15 ORDER BY c16 DESC) AS c17
  SELECT c14,
    c15,
    c16,
    c17 AS c18
  FROM (
    SELECT toStartOfInterval(time, toIntervalSecond(1800)) AS c14,
      service AS c15,
      count() AS c16
    FROM logs
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    GROUP BY c14,
      c15
  )
)
ORDER BY c15,
  c14
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
