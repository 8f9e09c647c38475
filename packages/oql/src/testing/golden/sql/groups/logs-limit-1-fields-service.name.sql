-- logs | limit 1 | fields service.name
SELECT service AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND time >= (
  SELECT if(count() < 1, toDateTime64(0, 9, 'UTC'), min(time))
  FROM (
    SELECT time
    FROM logs
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    ORDER BY toStartOfFiveMinutes(time) DESC,
      service DESC,
      time DESC
    LIMIT 1
  )
)
ORDER BY toStartOfFiveMinutes(time) DESC,
  time DESC
LIMIT 1
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
