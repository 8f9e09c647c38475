-- exemplars latency | where value > 100 | sort time | fields time, value, trace_id, route, user.id, unit
SELECT c47 AS r1,
  if(c49 != 0, concat('i', toString(c49)), toString(c48)) AS r2,
  if(c50 = toFixedString('', 16), NULL, lower(hex(c50))) AS r3,
  multiIf(mapContains(mapUpdate(c13, c52), {p1:String}), concat(if(position(concat(c53, c15), concat('\0', {p1:String}, '\x01')) = 0, 's', substring(concat(c53, c15), position(concat(c53, c15), concat('\0', {p1:String}, '\x01')) + 7, 1)), mapUpdate(c13, c52)[{p1:String}]), mapContains(c12, {p1:String}), concat(if(position(c14, concat('\0', {p1:String}, '\x01')) = 0, 's', substring(c14, position(c14, concat('\0', {p1:String}, '\x01')) + 7, 1)), c12[{p1:String}]), NULL) AS r4,
  multiIf(mapContains(mapUpdate(c13, c52), {p2:String}), concat(if(position(concat(c53, c15), concat('\0', {p2:String}, '\x01')) = 0, 's', substring(concat(c53, c15), position(concat(c53, c15), concat('\0', {p2:String}, '\x01')) + 9, 1)), mapUpdate(c13, c52)[{p2:String}]), (JSONExtractRaw(mapUpdate(c13, c52)[{p3:String}], {p4:String}) NOT IN ('', 'null')), arrayMap(r -> multiIf(r IN ('', 'null'), NULL, startsWith(r, '"'), concat('s', JSONExtractString(r)), r IN ('true', 'false'), concat('b', r), substring(r, 1, 1) IN ('{', '['), concat('j', r), concat('n', r)), [JSONExtractRaw(mapUpdate(c13, c52)[{p3:String}], {p4:String})])[1], mapContains(c12, {p2:String}), concat(if(position(c14, concat('\0', {p2:String}, '\x01')) = 0, 's', substring(c14, position(c14, concat('\0', {p2:String}, '\x01')) + 9, 1)), c12[{p2:String}]), NULL) AS r5,
  nullIf(c7, '') AS r6
FROM (
  SELECT fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c47,
    integer AS c49,
    value AS c48,
    trace_id AS c50,
    attributes AS c52,
    attribute_types AS c53,
    series AS c46
  FROM exemplars
  WHERE workspace = {p5:UInt32}
  AND project = {p6:UInt32}
  AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
  AND (metric = {p9:String})
  AND (value > {p10:Int64})
) AS l
INNER JOIN (
  SELECT any(attributes) AS c13,
    max(attribute_types) AS c15,
    any(resource) AS c12,
    max(resource_types) AS c14,
    any(unit) AS c7,
    series AS c1
  FROM metric_series
  WHERE workspace = {p5:UInt32}
  AND project = {p6:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p12:Int64}, 'UTC'))
  AND (metric = {p9:String})
  GROUP BY c1
) AS r ON c46 = c1
ORDER BY c47
LIMIT 1001
-- p1 = "route"
-- p2 = "user.id"
-- p3 = "user"
-- p4 = "id"
-- p5 = 7
-- p6 = 1
-- p7 = "1795096800000"
-- p8 = "1795100400000"
-- p9 = "latency"
-- p10 = "100"
-- p11 = "1795096800000000000"
-- p12 = "1795100400000000000"
