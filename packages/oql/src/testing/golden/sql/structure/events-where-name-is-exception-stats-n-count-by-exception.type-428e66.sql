-- events | where name == "exception" | stats n=count() by exception.type, service.name
WITH multiIf(mapContains(c7, {p1:String}), concat('s', c7[{p1:String}]), (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), concat('s', resource[{p1:String}]), NULL) AS c14,
  service AS c15,
  toUInt64(round(sum(weight))) AS c16
SELECT c14 AS r1,
  c15 AS r2,
  c16 AS r3
FROM spans
ARRAY JOIN event_name AS c5,
  event_attributes AS c7
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND (c5 = {p6:String})
GROUP BY c14,
  c15
ORDER BY toFloat64OrNull(substring(c14, 2)),
  substring(c14, 2),
  c15
LIMIT 1001
-- p1 = "exception.type"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "exception"
