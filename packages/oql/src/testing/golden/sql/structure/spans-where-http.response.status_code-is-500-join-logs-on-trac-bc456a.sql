-- spans | where http.response.status_code == 500 | join logs on trace_id within 1m as l | where l.severity >= error | stats n=count(), texts=count_distinct(l.body)
WITH toUInt64(round(sum(c2))) AS c26,
  uniqExact(c28) AS c29
SELECT c26 AS r1,
  c29 AS r2
FROM (
  SELECT weight AS c2,
    trace_id AS c8,
    time AS c1
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND ((multiIf(mapContains(int_attributes, {p6:String}), int_attributes[{p6:String}], (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), ifNull(toInt64OrNull(resource[{p6:String}]), 0), 0) = {p7:Int64}) OR (multiIf(mapContains(float_attributes, {p6:String}), float_attributes[{p6:String}], (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), ifNull(toFloat64OrNull(resource[{p6:String}]), 0.), 0.) = {p7:Int64}))
) AS l
INNER JOIN (
  WITH if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c25
  SELECT body AS c28,
    trace_id AS c21,
    toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC')) AS c22
  FROM logs
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND ((trace_id != toFixedString('', 16)) AND (trace_id IN (
    SELECT trace_id AS c23
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND ((multiIf(mapContains(int_attributes, {p6:String}), int_attributes[{p6:String}], (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), ifNull(toInt64OrNull(resource[{p6:String}]), 0), 0) = {p7:Int64}) OR (multiIf(mapContains(float_attributes, {p6:String}), float_attributes[{p6:String}], (resource[{p6:String}] != '' OR (position(empty_resource, concat('\0', {p6:String}, '\0')) > 0)), ifNull(toFloat64OrNull(resource[{p6:String}]), 0.), 0.) = {p7:Int64}))
  )))
  AND (c25 >= 17)
) AS r ON c8 = c21
AND (abs(toUnixTimestamp64Nano(toDateTime64(c1, 9, 'UTC')) - c22) <= {p1:Int64})
LIMIT 1001
-- p1 = "60000000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "http.response.status_code"
-- p7 = "500"
