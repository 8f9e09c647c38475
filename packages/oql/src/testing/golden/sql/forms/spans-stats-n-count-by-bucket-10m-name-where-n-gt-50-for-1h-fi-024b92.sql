-- spans | stats n=count() by bucket(10m), name | where n > 50 for 1h | fields time, name
SELECT c23 AS r1,
  c25 AS r2
FROM (
  SELECT c23,
    c25,
    countIf(c27) OVER (PARTITION BY c25 ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c23, 9, 'UTC')), 600000000000) RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS c28
  FROM (
    WITH toUInt64(round(sum(weight))) AS c26
    SELECT toStartOfInterval(time, toIntervalSecond(600)) AS c23,
      name AS c25,
      (c26 > {p2:Int64}) AS c27
    FROM spans
    WHERE workspace = {p3:UInt32}
    AND project = {p4:UInt32}
    AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    GROUP BY c23,
      c25
  )
)
WHERE (c28 = 6 AND c23 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
ORDER BY c23,
  c25
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "50"
-- p3 = 7
-- p4 = 1
-- p5 = "1795093800000000000"
-- p6 = "1795100400000000000"
