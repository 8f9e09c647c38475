-- from -30m; spans | stats n=count() by bucket(10m) | compare 30m
WITH c24 AS c25,
  anyOrNullIf(c26, c23) AS c27,
  anyOrNullIf(c26, (NOT c23)) AS c28
SELECT c25 AS r1,
  c27 AS r2,
  c28 AS r3,
  (c27 / nullIf(c28, 0) - 1) AS r4
FROM (
  WITH toStartOfInterval(time, toIntervalSecond(600)) AS c17,
    toUInt64(round(sum(weight))) AS c18
  SELECT true AS c23,
    c17 AS c24,
    c18 AS c26
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c17
  UNION ALL WITH toStartOfInterval(time, toIntervalSecond(600)) AS c21,
    toUInt64(round(sum(weight))) AS c22
  SELECT false AS c23,
    (c21 + toIntervalSecond(1800)) AS c24,
    c22 AS c26
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  GROUP BY c21
)
GROUP BY c25
ORDER BY c25
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098600000000000"
-- p4 = "1795100400000000000"
-- p5 = "1795096800000000000"
