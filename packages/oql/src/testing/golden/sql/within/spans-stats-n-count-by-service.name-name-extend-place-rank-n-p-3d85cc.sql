-- spans | stats n=count() by service.name, name | extend place = rank(n), part = share(n), `all` = sum(n) over all within service.name | sort service.name, place
WITH sum(toInt128(c20)) OVER (PARTITION BY c18) AS c25,
  accurateCast(c25, 'Int64') AS c26
SELECT c18 AS r1,
  c19 AS r2,
  c20 AS r3,
  c22 AS r4,
  c24 AS r5,
  c26 AS r6
FROM (
  WITH sum(toFloat64(c20)) OVER (PARTITION BY c18) AS c23
  SELECT c18,
    c19,
    c20,
    c22,
    (toFloat64(c20) / nullIf(c23, 0)) AS c24
  FROM (
    WITH rank() OVER (PARTITION BY c18 ORDER BY c20 DESC) AS c21
    SELECT c18,
      c19,
      c20,
      c21 AS c22
    FROM (
      SELECT service AS c18,
        name AS c19,
        toUInt64(round(sum(weight))) AS c20
      FROM spans
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      GROUP BY c18,
        c19
    )
  )
)
ORDER BY c18,
  c22
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
