-- exemplars latency | where value > 100 | sort time | fields time, value, trace_id, route, user.id, unit
SELECT c29 AS r1,
  c30 AS r2,
  if(c31 = toFixedString('', 16), NULL, lower(hex(c31))) AS r3,
  multiIf(mapContains(mapUpdate(c13, c33), {p1:String}), concat('s', mapUpdate(c13, c33)[{p1:String}]), mapContains(c12, {p1:String}), concat('s', c12[{p1:String}]), NULL) AS r4,
  multiIf(mapContains(mapUpdate(c13, c33), {p2:String}), concat('s', mapUpdate(c13, c33)[{p2:String}]), mapContains(c12, {p2:String}), concat('s', c12[{p2:String}]), NULL) AS r5,
  nullIf(c7, '') AS r6
FROM (
  SELECT time AS c29,
    value AS c30,
    trace_id AS c31,
    attributes AS c33,
    series AS c28
  FROM exemplars
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND time >= fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC')
  AND (metric = {p7:String})
  AND (value > {p8:Int64})
) AS l
INNER JOIN (
  SELECT any(attributes) AS c13,
    any(resource) AS c12,
    any(unit) AS c7,
    series AS c1
  FROM metric_series
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
  AND (metric = {p7:String})
  GROUP BY c1
) AS r ON c28 = c1
ORDER BY c29
LIMIT 1001
-- p1 = "route"
-- p2 = "user.id"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096800000"
-- p6 = "1795100400000"
-- p7 = "latency"
-- p8 = "100"
-- p9 = "1795096800000000000"
-- p10 = "1795100400000000000"
