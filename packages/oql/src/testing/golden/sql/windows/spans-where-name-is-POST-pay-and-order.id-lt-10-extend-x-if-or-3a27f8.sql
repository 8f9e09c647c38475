-- spans | where name == "POST /pay" and order.id < 10 | extend x = if(order.id == 9, 100.0, order.id + 1.0) | stats x=max(x) by bucket(1m) | extend a = anomaly(x) | where abs(a) > 3.5 | fields x, a
SELECT c21 AS r1,
  c25 AS r2
FROM (
  WITH quantileExactInclusiveOrNull(0.5)(abs(toFloat64(c21) - c22)) OVER () AS c23,
    avgOrNull(abs(toFloat64(c21) - c22)) OVER () AS c24
  SELECT c21,
    multiIf(c23 > 0, 0.6745 * (toFloat64(c21) - c22) / c23, c24 > 0, (toFloat64(c21) - c22) / (1.253314 * c24), 0 * (toFloat64(c21) - c22)) AS c25
  FROM (
    SELECT c21,
      quantileExactInclusiveOrNull(0.5)(toFloat64(c21)) OVER () AS c22
    FROM (
      WITH if(((multiIf(mapContains(int_attributes, {p2:String}), int_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), ifNull(toInt64OrNull(resource[{p2:String}]), 0), 0) = {p3:Int64}) OR (multiIf(mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), ifNull(toFloat64OrNull(resource[{p2:String}]), 0.), 0.) = {p3:Int64})), {p4:Float64}, (multiIf(mapContains(int_attributes, {p2:String}), toFloat64(int_attributes[{p2:String}]), mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), toFloat64OrNull(resource[{p2:String}]), NULL) + {p5:Float64})) AS c19,
        toStartOfInterval(time, toIntervalSecond(60)) AS c20
      SELECT maxOrNull(c19) AS c21
      FROM spans
      WHERE workspace = {p6:UInt32}
      AND project = {p7:UInt32}
      AND time >= fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p9:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
      AND ((name = {p10:String}) AND ifNull((multiIf(mapContains(int_attributes, {p2:String}), toFloat64(int_attributes[{p2:String}]), mapContains(float_attributes, {p2:String}), float_attributes[{p2:String}], (resource[{p2:String}] != '' OR (position(empty_resource, concat('\0', {p2:String}, '\0')) > 0)), toFloat64OrNull(resource[{p2:String}]), NULL) < {p11:Int64}), false))
      GROUP BY c20
    )
  )
)
WHERE ifNull((abs(c25) > {p1:Float64}), false)
LIMIT 1001
-- p1 = 3.5
-- p2 = "order.id"
-- p3 = "9"
-- p4 = 100
-- p5 = 1
-- p6 = 7
-- p7 = 1
-- p8 = "1795096800000000000"
-- p9 = "1795100400000000000"
-- p10 = "POST /pay"
-- p11 = "10"
