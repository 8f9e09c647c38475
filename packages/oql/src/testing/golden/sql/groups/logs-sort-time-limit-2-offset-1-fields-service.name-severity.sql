-- logs | sort time | limit 2 offset 1 | fields service.name, severity
SELECT service AS r1,
  multiIf(severity = 0, 'unspecified', severity < 5, 'trace', severity < 9, 'debug', severity < 13, 'info', severity < 17, 'warn', severity < 21, 'error', 'fatal') AS r2
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
ORDER BY toStartOfFiveMinutes(time),
  time
LIMIT 2 OFFSET 1
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
