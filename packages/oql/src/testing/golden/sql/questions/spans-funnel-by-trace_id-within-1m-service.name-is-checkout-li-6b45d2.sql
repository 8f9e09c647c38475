-- spans | funnel by trace_id within 1m {service.name == "checkout"} -> {service.name == "frontend"}
SELECT c25 AS r1,
  c27 AS r2,
  (c27 / nullIf(c29, 0)) AS r3,
  (c27 / nullIf(c28, 0)) AS r4
FROM (
  SELECT countIf((c21 >= 1)) AS c23,
    countIf((c21 >= 2)) AS c24
  FROM (
    WITH c18 AS c22
    SELECT arrayCount(x -> x != 0, arrayFold((began, e) -> arrayMap((own, previous, i) -> if(bitTest(e.2, i) AND previous != 0 AND e.1 - previous <= 60000000000, greatest(own, previous), own), began, arrayConcat([e.1], arrayPopBack(began)), range(2)), arraySort(groupArray((c19, c20))), arrayResize(CAST([], 'Array(Int64)'), 2))) AS c21
    FROM (
      SELECT toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC')) AS c19,
        groupBitOr((toUInt32(if((service = {p2:String}), 1, 0)) + if((service = {p3:String}), 2, 0))) AS c20,
        trace_id AS c18
      FROM spans
      WHERE workspace = {p4:UInt32}
      AND project = {p5:UInt32}
      AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (NOT false AND ((service = {p2:String}) OR (service = {p3:String})))
      GROUP BY c18,
        c19
    )
    GROUP BY c22
  )
)
ARRAY JOIN {p1:Array(String)} AS c25,
  array(1, 2) AS c26,
  array(c23, c24) AS c27,
  array(c23, c23) AS c28,
  array(c23, c23) AS c29
ORDER BY c26
LIMIT 1001
-- p1 = ["1","2"]
-- p2 = "checkout"
-- p3 = "frontend"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
