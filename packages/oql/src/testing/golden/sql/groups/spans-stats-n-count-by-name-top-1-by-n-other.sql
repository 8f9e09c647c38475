-- spans | stats n=count() by name | top 1 by n other
WITH if((c22 <= 1), c18, '(other)') AS c23,
  toUInt64(round(sumMerge(c20))) AS c19,
  min(least(c22, 2)) AS c24
SELECT c23 AS r1,
  c19 AS r2
FROM (
  SELECT dense_rank() OVER ( ORDER BY c21 DESC, c18) AS c22,
    c18,
    c20
  FROM (
    SELECT toUInt64(round(finalizeAggregation(c20))) AS c21,
      c18,
      c20
    FROM (
      SELECT sumState(weight) AS c20,
        name AS c18
      FROM spans
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      GROUP BY c18
    )
  )
)
GROUP BY c23
ORDER BY c24
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
