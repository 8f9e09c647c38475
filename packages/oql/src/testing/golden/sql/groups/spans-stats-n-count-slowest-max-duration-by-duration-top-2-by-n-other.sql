-- spans | stats n=count(), slowest=max(duration) by duration | top 2 by n other
WITH if((c24 <= 2), c18, NULL) AS c25,
  toUInt64(round(sumMerge(c21))) AS c19,
  maxOrNullMerge(c22) AS c20,
  min(least(c24, 3)) AS c26
SELECT c25 AS r1,
  c19 AS r2,
  c20 AS r3
FROM (
  SELECT dense_rank() OVER ( ORDER BY c23 DESC, c18) AS c24,
    c18,
    c21,
    c22
  FROM (
    SELECT toUInt64(round(finalizeAggregation(c21))) AS c23,
      c18,
      c21,
      c22
    FROM (
      SELECT sumState(weight) AS c21,
        duration AS c18,
        maxOrNullState(duration) AS c22
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
GROUP BY c25
ORDER BY c26
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
