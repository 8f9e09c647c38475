-- logs | where severity == debug or severity == warn | stats n=count() by severity | sort severity
WITH if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c13,
  count() AS c14
SELECT multiIf(c13 = 0, 'unspecified', c13 < 5, 'trace', c13 < 9, 'debug', c13 < 13, 'info', c13 < 17, 'warn', c13 < 21, 'error', 'fatal') AS r1,
  c14 AS r2
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((severity >= 5 AND severity < 9) OR (severity >= 13 AND severity < 17))
GROUP BY c13
ORDER BY c13
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
