-- logs | funnel by user.id within 10m {body has "request 0" or body has "request 7"} -> {body has "request 14"} -> {body has "request 21"}
SELECT c24 AS r1,
  c26 AS r2,
  (c26 / nullIf(c28, 0)) AS r3,
  (c26 / nullIf(c27, 0)) AS r4
FROM (
  SELECT countIf((c17 >= 1)) AS c21,
    countIf((c17 >= 2)) AS c22,
    countIf((c17 >= 3)) AS c23
  FROM (
    WITH c14 AS c20
    SELECT arrayCount(x -> x != 0, arrayFold((began, e) -> arrayMap((own, previous, i) -> if(bitTest(e.2, i) AND previous != 0 AND e.1 - previous <= 600000000000, greatest(own, previous), own), began, arrayConcat([e.1], arrayPopBack(began)), range(3)), arraySort(groupArray((c15, c16))), arrayResize(CAST([], 'Array(Int64)'), 3))) AS c17
    FROM (
      SELECT toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC')) AS c15,
        groupBitOr(((toUInt32(if(((position(lower(body), {p2:String}) > 0 AND hasAllTokens(lower(body), {p3:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p3:Array(String)})) OR (position(lower(body), {p4:String}) > 0 AND hasAllTokens(lower(body), {p5:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p5:Array(String)}))), 1, 0)) + if((position(lower(body), {p6:String}) > 0 AND hasAllTokens(lower(body), {p7:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p7:Array(String)})), 2, 0)) + if((position(lower(body), {p8:String}) > 0 AND hasAllTokens(lower(body), {p9:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p9:Array(String)})), 4, 0))) AS c16,
        multiIf((string_attributes[{p10:String}] != '' OR (position(empty_attributes, concat('\0', {p10:String}, '\0')) > 0)), concat('s', string_attributes[{p10:String}]), mapContains(int_attributes, {p10:String}), concat('n', toString(int_attributes[{p10:String}])), mapContains(float_attributes, {p10:String}), concat(if(abs(float_attributes[{p10:String}]) < 9007199254740992, 'n', 'f'), toString(float_attributes[{p10:String}])), mapContains(bool_attributes, {p10:String}), multiIf(bool_attributes[{p10:String}], 'btrue', NOT bool_attributes[{p10:String}], 'bfalse', NULL), (json_attributes[{p10:String}] != ''), concat('j', json_attributes[{p10:String}]), (resource[{p10:String}] != '' OR (position(empty_resource, concat('\0', {p10:String}, '\0')) > 0)), concat(if(position(resource_types, concat('\0', {p10:String}, '\x01')) = 0, 's', substring(resource_types, position(resource_types, concat('\0', {p10:String}, '\x01')) + 9, 1)), resource[{p10:String}]), NULL) AS c14
      FROM logs
      WHERE workspace = {p11:UInt32}
      AND project = {p12:UInt32}
      AND time >= fromUnixTimestamp64Nano({p13:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p14:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p13:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p14:Int64}, 'UTC'))
      AND (NOT (NOT ((string_attributes[{p10:String}] != '' OR (position(empty_attributes, concat('\0', {p10:String}, '\0')) > 0)) OR mapContains(int_attributes, {p10:String}) OR mapContains(float_attributes, {p10:String}) OR mapContains(bool_attributes, {p10:String}) OR (json_attributes[{p10:String}] != '') OR (resource[{p10:String}] != '' OR (position(empty_resource, concat('\0', {p10:String}, '\0')) > 0)))) AND (((position(lower(body), {p2:String}) > 0 AND hasAllTokens(lower(body), {p3:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p3:Array(String)})) OR (position(lower(body), {p4:String}) > 0 AND hasAllTokens(lower(body), {p5:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p5:Array(String)}))) OR (position(lower(body), {p6:String}) > 0 AND hasAllTokens(lower(body), {p7:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p7:Array(String)})) OR (position(lower(body), {p8:String}) > 0 AND hasAllTokens(lower(body), {p9:Array(String)}) AND hasAll(tokens(lower(body), 'splitByNonAlpha'), {p9:Array(String)}))))
      GROUP BY c14,
        c15
    )
    GROUP BY c20
  )
)
ARRAY JOIN {p1:Array(String)} AS c24,
  array(1, 2, 3) AS c25,
  array(c21, c22, c23) AS c26,
  array(c21, c21, c22) AS c27,
  array(c21, c21, c21) AS c28
ORDER BY c25
LIMIT 1001
-- p1 = ["1","2","3"]
-- p2 = "request 0"
-- p3 = ["request","0"]
-- p4 = "request 7"
-- p5 = ["request","7"]
-- p6 = "request 14"
-- p7 = ["request","14"]
-- p8 = "request 21"
-- p9 = ["request","21"]
-- p10 = "user.id"
-- p11 = 7
-- p12 = 1
-- p13 = "1795096800000000000"
-- p14 = "1795100400000000000"
