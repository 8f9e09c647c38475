-- logs | stats n=count() by bucket(30m), service.name | top 1 by n within time other
WITH c14 AS c20,
  if((c19 <= 1), c15, '(other)') AS c21,
  countMerge(c17) AS c16,
  min(least(c19, 2)) AS c22
SELECT c20 AS r1,
  c21 AS r2,
  c16 AS r3
FROM (
  SELECT c14,
    dense_rank() OVER (PARTITION BY c14 ORDER BY c18 DESC, c14, c15) AS c19,
    c15,
    c17
  FROM (
    SELECT c14,
      finalizeAggregation(c17) AS c18,
      c15,
      c17
    FROM (
      SELECT toStartOfInterval(time, toIntervalSecond(1800)) AS c14,
        countState() AS c17,
        service AS c15
      FROM logs
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      GROUP BY c14,
        c15
    )
  )
)
GROUP BY c20,
  c21
ORDER BY c20,
  c20,
  c22
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
