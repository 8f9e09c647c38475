-- logs | where body["action"] == "login" | extend who = json(body, "user", "name"), took = int(body["took"]) | stats t=sum(took), who=values(who)
WITH coalesce(toInt64OrNull(multiIf(JSONExtractRaw(ifNull(body, ''), {p1:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p1:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p1:String})), JSONExtractRaw(ifNull(body, ''), {p1:String}))), accurateCastOrNull(trunc(toFloat64OrNull(multiIf(JSONExtractRaw(ifNull(body, ''), {p1:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p1:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p1:String})), JSONExtractRaw(ifNull(body, ''), {p1:String})))), 'Int64'), toInt64OrNull(multiIf(JSONExtractRaw(ifNull(body, ''), {p1:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p1:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p1:String})), JSONExtractRaw(ifNull(body, ''), {p1:String}))), toInt64(multiIf(multiIf(JSONExtractRaw(ifNull(body, ''), {p1:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p1:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p1:String})), JSONExtractRaw(ifNull(body, ''), {p1:String})) = 'true', true, multiIf(JSONExtractRaw(ifNull(body, ''), {p1:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p1:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p1:String})), JSONExtractRaw(ifNull(body, ''), {p1:String})) = 'false', false, NULL))) AS c14,
  ifNull(sum(c14), 0) AS c15,
  multiIf(JSONExtractRaw(ifNull(body, ''), {p2:String}, {p3:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p2:String}, {p3:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p2:String}, {p3:String})), JSONExtractRaw(ifNull(body, ''), {p2:String}, {p3:String})) AS c13,
  arraySort(groupUniqArray(c13)) AS c16
SELECT c15 AS r1,
  c16 AS r2
FROM logs
WHERE workspace = {p4:UInt32}
AND project = {p5:UInt32}
AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
AND (ifNull(multiIf(JSONExtractRaw(ifNull(body, ''), {p8:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(body, ''), {p8:String}), '"'), JSONExtractString(JSONExtractRaw(ifNull(body, ''), {p8:String})), JSONExtractRaw(ifNull(body, ''), {p8:String})), '') = {p9:String})
LIMIT 1001
-- p1 = "took"
-- p2 = "user"
-- p3 = "name"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
-- p8 = "action"
-- p9 = "login"
