-- logs | contrast (severity >= error) top 2 | fields field, value, selected, rest, difference
SELECT c19 AS r1,
  c20 AS r2,
  toUInt64(round(c21)) AS r3,
  toUInt64(round(c22)) AS r4,
  (if(c23 = 0, 0., c21 / c23) - if(c24 = 0, 0., c22 / c24)) AS r5
FROM (
  SELECT c19,
    c20,
    c21,
    c22,
    maxIf(c21, c19 = '') OVER () AS c23,
    maxIf(c22, c19 = '') OVER () AS c24
  FROM (
    WITH 1 AS c18,
      (severity >= 17) AS c17
    SELECT c25 AS c19,
      c26 AS c20,
      sumIf(c18, c17) AS c21,
      sumIf(c18, (NOT c17)) AS c22
    FROM logs
    ARRAY JOIN arrayConcat({p6:Array(String)}, mapKeys((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).1), mapKeys((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).2), mapKeys((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).4), arrayMap(k -> concat('resource.', k), mapKeys((resource, resource_types).1))) AS c25,
      arrayConcat(array('', service, ifNull(nullIf(environment, ''), ''), ifNull(nullIf(event_name, ''), ''), ifNull(nullIf(scope_name, ''), '')), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).1), arrayMap(v -> toString(v), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).2)), arrayMap(v -> toString(v), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).4)), mapValues((resource, resource_types).1)) AS c26
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    GROUP BY c19,
      c20
    HAVING (c19 = '' OR (c20 != '' AND NOT has({p5:Array(String)}, c19)))
  )
)
WHERE (c19 != '')
ORDER BY abs((if(c23 = 0, 0., c21 / c23) - if(c24 = 0, 0., c22 / c24))) DESC,
  c19,
  c20
LIMIT 2
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = ["severity","resource.severity","","resource.","error","resource.error","resource.service.name"]
-- p6 = ["","service.name","environment","event_name","scope.name"]
