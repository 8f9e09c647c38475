-- logs | contrast (severity >= error) top 2 | fields field, value, selected, rest, difference
SELECT c18 AS r1,
  c19 AS r2,
  toUInt64(round(c20)) AS r3,
  toUInt64(round(c21)) AS r4,
  (if(c22 = 0, 0., c20 / c22) - if(c23 = 0, 0., c21 / c23)) AS r5
FROM (
  SELECT c18,
    c19,
    c20,
    c21,
    maxIf(c20, c18 = '') OVER () AS c22,
    maxIf(c21, c18 = '') OVER () AS c23
  FROM (
    WITH 1 AS c17,
      (severity >= 17) AS c16
    SELECT c24 AS c18,
      c25 AS c19,
      sumIf(c17, c16) AS c20,
      sumIf(c17, (NOT c16)) AS c21
    FROM logs
    ARRAY JOIN arrayConcat({p6:Array(String)}, mapKeys((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).1), mapKeys((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).2), mapKeys((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).4), arrayMap(k -> concat('resource.', k), mapKeys(resource))) AS c24,
      arrayConcat(array('', service, ifNull(nullIf(environment, ''), ''), ifNull(nullIf(event_name, ''), ''), ifNull(nullIf(scope_name, ''), '')), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).1), arrayMap(v -> toString(v), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).2)), arrayMap(v -> toString(v), mapValues((string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes).4)), mapValues(resource)) AS c25
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    GROUP BY c18,
      c19
    HAVING (c18 = '' OR (c19 != '' AND NOT has({p5:Array(String)}, c18)))
  )
)
WHERE (c18 != '')
ORDER BY abs((if(c22 = 0, 0., c20 / c22) - if(c23 = 0, 0., c21 / c23))) DESC,
  c18,
  c19
LIMIT 2
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = ["severity","resource.severity","","resource.","error","resource.error","resource.service.name"]
-- p6 = ["","service.name","environment","event_name","scope.name"]
