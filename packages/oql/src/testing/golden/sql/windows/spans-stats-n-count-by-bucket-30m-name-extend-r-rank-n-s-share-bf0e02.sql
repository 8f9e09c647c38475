-- spans | stats n=count() by bucket(30m), name | extend r = rank(n), s = share(n), l = lag(n) | sort time, -n, name
WITH anyOrNull(c19) OVER (PARTITION BY c18 ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 1800000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c24,
  c24 AS c25
SELECT c17 AS r1,
  c18 AS r2,
  c19 AS r3,
  c21 AS r4,
  c23 AS r5,
  c25 AS r6
FROM (
  WITH sum(toFloat64(c19)) OVER (PARTITION BY c17) AS c22
  SELECT c17,
    c18,
    c19,
    c21,
    (toFloat64(c19) / nullIf(c22, 0)) AS c23
  FROM (
    WITH rank() OVER (PARTITION BY c17 ORDER BY c19 DESC) AS c20
    SELECT c17,
      c18,
      c19,
      c20 AS c21
    FROM (
      SELECT toStartOfInterval(time, toIntervalSecond(1800)) AS c17,
        name AS c18,
        toUInt64(round(sum(weight))) AS c19
      FROM spans
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      GROUP BY c17,
        c18
    )
  )
)
ORDER BY c17,
  c19 DESC,
  c18
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
