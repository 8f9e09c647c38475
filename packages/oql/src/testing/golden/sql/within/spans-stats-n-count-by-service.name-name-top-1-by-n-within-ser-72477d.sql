-- spans | stats n=count() by service.name, name | top 1 by n within service.name other
WITH c18 AS c24,
  if((c23 <= 1), c19, '(other)') AS c25,
  toUInt64(round(sumMerge(c21))) AS c20,
  min(least(c23, 2)) AS c26
SELECT c24 AS r1,
  c25 AS r2,
  c20 AS r3
FROM (
  SELECT c18,
    dense_rank() OVER (PARTITION BY c18 ORDER BY c22 DESC, c18, c19) AS c23,
    c19,
    c21
  FROM (
    SELECT c18,
      toUInt64(round(finalizeAggregation(c21))) AS c22,
      c19,
      c21
    FROM (
      SELECT service AS c18,
        sumState(weight) AS c21,
        name AS c19
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
GROUP BY c24,
  c25
ORDER BY c24,
  c26
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
