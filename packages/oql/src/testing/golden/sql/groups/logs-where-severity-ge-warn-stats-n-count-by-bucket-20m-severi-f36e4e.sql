-- logs | where severity >= warn | stats n=count() by bucket(20m), severity | fill 0
WITH ifNull(toInt64(c18), toInt64({p1:Int64})) AS c19
SELECT c16 AS r1,
  multiIf(c17 = 0, 'unspecified', c17 < 5, 'trace', c17 < 9, 'debug', c17 < 13, 'info', c17 < 17, 'warn', c17 < 21, 'error', 'fatal') AS r2,
  c19 AS r3
FROM (
  SELECT c16,
    c17,
    c18
  FROM (
    WITH toStartOfInterval(time, toIntervalSecond(1200)) AS c13,
      if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c14,
      count() AS c15
    SELECT c13 AS c16,
      if(c14 = 0, 0, intDiv(c14 - 1, 4) * 4 + 1) AS c17,
      toNullable(c15) AS c18
    FROM logs
    WHERE workspace = {p4:UInt32}
    AND project = {p5:UInt32}
    AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND (severity >= 13)
    GROUP BY c13,
      c14
  )
  ORDER BY c17,
    c16 WITH FILL
  FROM toDateTime({p2:Int64}, 'UTC') TO toDateTime({p3:Int64}, 'UTC') STEP toIntervalSecond(1200)
)
ORDER BY c16,
  c17
LIMIT 1001
-- p1 = "0"
-- p2 = "1795096800"
-- p3 = "1795100400"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
