-- logs | stats n=count() by bucket(30m), service.name | sort -n | extend larger = lag(n), place = rank() within time | where time == 2026-11-19T14:00:00Z | sort place
WITH c19 AS c20
SELECT c14 AS r1,
  c15 AS r2,
  c16 AS r3,
  c18 AS r4,
  c20 AS r5
FROM (
  SELECT c14,
    c15,
    c16,
    c18,
    rank() OVER (PARTITION BY c14 ORDER BY c16 DESC) AS c19
  FROM (
    WITH lagInFrame(toNullable(c16), 1) OVER (PARTITION BY c14 ORDER BY c16 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c17
    SELECT c14,
      c15,
      c16,
      c17 AS c18
    FROM (
      SELECT toStartOfInterval(time, toIntervalSecond(1800)) AS c14,
        service AS c15,
        count() AS c16
      FROM logs
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      GROUP BY c14,
        c15
      ORDER BY c16 DESC
    )
  )
)
WHERE (c14 = fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
ORDER BY c20
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795100400000000000"
