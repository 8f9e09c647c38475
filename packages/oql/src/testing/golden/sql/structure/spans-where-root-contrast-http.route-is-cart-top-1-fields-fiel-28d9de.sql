-- spans | where root | contrast (http.route == "/cart") top 1 | fields field, value, selected_share, rest_share
SELECT c24 AS r1,
  c25 AS r2,
  if(c28 = 0, 0., c26 / c28) AS r3,
  if(c29 = 0, 0., c27 / c29) AS r4
FROM (
  SELECT c24,
    c25,
    maxIf(c26, c24 = '') OVER () AS c28,
    c26,
    maxIf(c27, c24 = '') OVER () AS c29,
    c27
  FROM (
    SELECT c30 AS c24,
      c31 AS c25,
      sumIf(c23, c22) AS c26,
      sumIf(c23, (NOT c22)) AS c27
    FROM (
      SELECT weight AS c23,
        (string_attributes[{p3:String}] = {p4:String} OR (resource[{p3:String}] = {p4:String} AND string_attributes[{p3:String}] = '')) AS c22,
        string_attributes AS c11,
        int_attributes AS c12,
        float_attributes AS c13,
        bool_attributes AS c14,
        json_attributes AS c15,
        resource AS c16,
        resource_types AS c17,
        service AS c4,
        name AS c5,
        kind AS c6,
        status AS c7,
        environment AS c20,
        scope_name AS c21
      FROM spans
      WHERE workspace = {p5:UInt32}
      AND project = {p6:UInt32}
      AND time >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (parent_span_id = toFixedString('', 8))
    )
    ARRAY JOIN arrayConcat({p2:Array(String)}, mapKeys((c11, c12, c13, c14, c15).1), mapKeys((c11, c12, c13, c14, c15).2), mapKeys((c11, c12, c13, c14, c15).4), arrayMap(k -> concat('resource.', k), mapKeys((c16, c17).1))) AS c30,
      arrayConcat(array('', c4, c5, toString(c6), toString(c7), ifNull(nullIf(c20, ''), ''), ifNull(nullIf(c21, ''), '')), mapValues((c11, c12, c13, c14, c15).1), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).2)), arrayMap(v -> toString(v), mapValues((c11, c12, c13, c14, c15).4)), mapValues((c16, c17).1)) AS c31
    GROUP BY c24,
      c25
    HAVING (c24 = '' OR (c25 != '' AND NOT has({p1:Array(String)}, c24)))
  )
)
WHERE (c24 != '')
ORDER BY abs((if(c28 = 0, 0., c26 / c28) - if(c29 = 0, 0., c27 / c29))) DESC,
  c24,
  c25
LIMIT 1
-- p1 = ["http.route","resource.http.route","route","resource.route","resource.service.name"]
-- p2 = ["","service.name","name","kind","status","environment","scope.name"]
-- p3 = "http.route"
-- p4 = "/cart"
-- p5 = 7
-- p6 = 1
-- p7 = "1795096800000000000"
-- p8 = "1795100400000000000"
