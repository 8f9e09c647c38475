-- from -30m; spans | stats n=count() by bucket(10m) | compare 30m
WITH c25 AS c26,
  anyOrNullIf(c27, c24) AS c28,
  anyOrNullIf(c27, (NOT c24)) AS c29
SELECT c26 AS r1,
  c28 AS r2,
  c29 AS r3,
  (c28 / nullIf(c29, 0) - 1) AS r4
FROM (
  WITH toStartOfInterval(time, toIntervalSecond(600)) AS c18,
    toUInt64(round(sum(weight))) AS c19
  SELECT true AS c24,
    c18 AS c25,
    c19 AS c27
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  GROUP BY c18
  UNION ALL WITH toStartOfInterval(time, toIntervalSecond(600)) AS c22,
    toUInt64(round(sum(weight))) AS c23
  SELECT false AS c24,
    (c22 + toIntervalSecond(1800)) AS c25,
    c23 AS c27
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  GROUP BY c22
)
GROUP BY c26
ORDER BY c26
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098600000000000"
-- p4 = "1795100400000000000"
-- p5 = "1795096800000000000"
