-- logs | where severity == debug or severity == warn | stats n=count() by severity | sort severity
WITH if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c14,
  count() AS c15
SELECT multiIf(c14 = 0, 'unspecified', c14 < 5, 'trace', c14 < 9, 'debug', c14 < 13, 'info', c14 < 17, 'warn', c14 < 21, 'error', 'fatal') AS r1,
  c15 AS r2
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((severity >= 5 AND severity < 9) OR (severity >= 13 AND severity < 17))
GROUP BY c14
ORDER BY c14
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
