-- spans | stats n=count(), slowest=max(duration) by duration | top 2 by n other
WITH if((c23 <= 2), c17, NULL) AS c24,
  toUInt64(round(sumMerge(c20))) AS c18,
  maxOrNullMerge(c21) AS c19,
  min(least(c23, 3)) AS c25
SELECT c24 AS r1,
  c18 AS r2,
  c19 AS r3
FROM (
  SELECT dense_rank() OVER (ORDER BY c22 DESC, c17) AS c23,
    c17,
    c20,
    c21
  FROM (
    SELECT toUInt64(round(finalizeAggregation(c20))) AS c22,
      c17,
      c20,
      c21
    FROM (
      SELECT sumState(weight) AS c20,
        duration AS c17,
        maxOrNullState(duration) AS c21
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
GROUP BY c24
ORDER BY c25
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
