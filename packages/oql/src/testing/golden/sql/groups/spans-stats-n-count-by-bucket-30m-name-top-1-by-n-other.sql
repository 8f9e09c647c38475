-- spans | stats n=count() by bucket(30m), name | top 1 by n other
WITH c17 AS c23,
  if((c22 <= 1), c18, '(other)') AS c24,
  toUInt64(round(sumMerge(c20))) AS c19,
  min(least(c22, 2)) AS c25
SELECT c23 AS r1,
  c24 AS r2,
  c19 AS r3
FROM (
  SELECT c17,
    dense_rank() OVER (ORDER BY c21 DESC, c18) AS c22,
    c18,
    c20
  FROM (
    SELECT c17,
      toUInt64(round(sumMerge(c20) OVER (PARTITION BY c18))) AS c21,
      c18,
      c20
    FROM (
      SELECT toStartOfInterval(time, toIntervalSecond(1800)) AS c17,
        sumState(weight) AS c20,
        name AS c18
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
GROUP BY c23,
  c24
ORDER BY c23,
  c25
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
