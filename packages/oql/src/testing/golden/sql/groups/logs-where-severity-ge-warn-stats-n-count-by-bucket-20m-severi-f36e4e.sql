-- logs | where severity >= warn | stats n=count() by bucket(20m), severity | fill 0
WITH ifNull(toInt64(c19), toInt64({p1:Int64})) AS c21
SELECT c17 AS r1,
  multiIf(c18 = 0, 'unspecified', c18 < 5, 'trace', c18 < 9, 'debug', c18 < 13, 'info', c18 < 17, 'warn', c18 < 21, 'error', 'fatal') AS r2,
  c21 AS r3
FROM (
  SELECT c17,
    c18,
    c19,
    c20
  FROM (
    WITH toStartOfInterval(time, toIntervalSecond(1200)) AS c14,
      if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c15,
      count() AS c16
    SELECT c14 AS c17,
      if(c15 = 0, 0, intDiv(c15 - 1, 4) * 4 + 1) AS c18,
      toNullable(c16) AS c19,
      materialize(1) AS c20
    FROM logs
    WHERE workspace = {p4:UInt32}
    AND project = {p5:UInt32}
    AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND (severity >= 13)
    GROUP BY c14,
      c15
  )
  ORDER BY c20,
    c18,
    c17 WITH FILL
  FROM toDateTime({p2:Int64}, 'UTC') TO toDateTime({p3:Int64}, 'UTC') STEP toIntervalSecond(1200)
)
WHERE (c20 = 1)
ORDER BY c17,
  c18
LIMIT 1001
-- p1 = "0"
-- p2 = "1795096800"
-- p3 = "1795100400"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
