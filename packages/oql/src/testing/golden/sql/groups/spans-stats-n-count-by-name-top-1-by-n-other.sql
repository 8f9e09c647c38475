-- spans | stats n=count() by name | top 1 by n other
WITH if((c21 <= 1), c17, '(other)') AS c22,
  toUInt64(round(sumMerge(c19))) AS c18,
  min(least(c21, 2)) AS c23
SELECT c22 AS r1,
  c18 AS r2
FROM (
  SELECT dense_rank() OVER (ORDER BY c20 DESC, c17) AS c21,
    c17,
    c19
  FROM (
    SELECT toUInt64(round(finalizeAggregation(c19))) AS c20,
      c17,
      c19
    FROM (
      SELECT sumState(weight) AS c19,
        name AS c17
      FROM spans
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      GROUP BY c17
    )
  )
)
GROUP BY c22
ORDER BY c23
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
