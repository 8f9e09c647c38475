-- metric requests | increase | sum by bucket(30m) without route, host.name | where labels["service.name"] == "cart" | top 1 by sum within time | fill 0 | compare 30m | fields time, labels, sum, sum_before
WITH c930 AS c931,
  c932 AS c933,
  anyOrNullIf(c934, c929) AS c935,
  anyOrNullIf(c934, (NOT c929)) AS c936
SELECT c931 AS r1,
  c933 AS r2,
  c935 AS r3,
  c936 AS r4
FROM (
  WITH ifNull(toFloat64(c462), toFloat64({p1:Int64})) AS c464
  SELECT true AS c929,
    c460 AS c930,
    c461 AS c932,
    c464 AS c934
  FROM (
    SELECT c460,
      c461,
      c462,
      c463
    FROM (
      WITH toStartOfInterval(c406, toIntervalSecond(1800)) AS c457,
        c937 AS c458,
        ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c407, c410))], [sumOrNull(coalesce(c407, c410))])[1], 0.) AS c459
      SELECT c457 AS c460,
        c458 AS c461,
        toNullable(c459) AS c462,
        materialize(1) AS c463
      FROM (
        SELECT c406,
          c407,
          c410,
          c405
        FROM (
          WITH fromUnixTimestamp64Nano(c290 * 1800000000000, 'UTC') AS c293,
            arrayCompact(c287) AS c289,
            arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c286, arrayDifference(c287))) AS c288
          SELECT c229 AS c405,
            toDateTime64(c293, 9, 'UTC') AS c406,
            c291 AS c407,
            CAST(NULL, 'Nullable(Float64)') AS c410
          FROM (
            WITH materialize(if(ifNull((
              SELECT max((temporality = {p6:String})) AS c238
              FROM metric_series
              WHERE workspace = {p7:UInt32}
              AND project = {p8:UInt32}
              AND day >= toDate(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
              AND day <= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
              AND (metric = {p11:String})
            ), false), c229 IN (
              SELECT series AS c241
              FROM metric_series
              WHERE workspace = {p7:UInt32}
              AND project = {p8:UInt32}
              AND day >= toDate(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
              AND day <= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
              AND (metric = {p11:String})
              AND (temporality = 'delta')
              GROUP BY c241
            ), false)) AS c285
            SELECT c229,
              arrayMap(t -> if(t < 1795096800000000000, -1, intDiv(t, 1800000000000)), c235) AS c287,
              if(c285, c236, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000000000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c236), arrayDifference(c236), c236, arrayDifference(c237), c237)) AS c286
            FROM (
              SELECT c229,
                if(c233, tupleElement(c234, 1), c230) AS c235,
                if(c233, tupleElement(c234, 2), c231) AS c236,
                if(c233, tupleElement(c234, 3), c232) AS c237
              FROM (
                SELECT c229,
                  (arrayMin(arrayPopFront(arrayDifference(c230))) <= 0) AS c233,
                  if(c233, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c230, c231, c232)))), []) AS c234,
                  c230,
                  c231,
                  c232
                FROM (
                  SELECT c1 AS c229,
                    groupArray(toUnixTimestamp64Nano(c2)) AS c230,
                    groupArray(c4) AS c231,
                    groupArray(toUnixTimestamp64Nano(c3)) AS c232
                  FROM (
                    SELECT series AS c1,
                      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
                      value AS c4,
                      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3
                    FROM metric_points
                    WHERE workspace = {p7:UInt32}
                    AND project = {p8:UInt32}
                    AND time >= fromUnixTimestamp64Milli({p12:Int64}, 'UTC')
                    AND time < fromUnixTimestamp64Milli({p13:Int64}, 'UTC')
                    AND (((metric = {p11:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC') OR NOT series IN (
                      SELECT series AS c105
                      FROM metric_points
                      WHERE workspace = {p7:UInt32}
                      AND project = {p8:UInt32}
                      AND time >= fromUnixTimestamp64Milli({p14:Int64}, 'UTC')
                      AND time < fromUnixTimestamp64Milli({p15:Int64}, 'UTC')
                      AND ((metric = {p11:String}) AND NOT no_recorded_value)
                      GROUP BY c105
                    )))
                    ORDER BY series,
                      time,
                      nanos
                  )
                  GROUP BY c229
                )
              )
            )
          )
          ARRAY JOIN c289 AS c290,
            c288 AS c291
          WHERE (c290 >= 0)
          UNION ALL WITH c375 AS c398,
            c376 AS c399,
            sumOrNull(c378) AS c401
          SELECT c398 AS c405,
            toDateTime64(c399, 9, 'UTC') AS c406,
            CAST(NULL, 'Nullable(Float64)') AS c407,
            c401 AS c410
          FROM (
            SELECT c1 AS c375,
              c370 AS c376,
              sumOrNullIf(c361, c371) AS c378
            FROM (
              WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c308,
                lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c357,
                lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c358,
                lagInFrame(c7) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c360,
                (c2 >= fromUnixTimestamp64Nano({p16:Int64}, 'UTC')) AS c362,
                leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c364,
                leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c365,
                leadInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c366,
                (c364 >= c2 AND (c364 >= fromUnixTimestamp64Nano({p16:Int64}, 'UTC'))  AND NOT c356 AND NOT c365 > c3 AND NOT c366 < c6) AS c367
              SELECT c1,
                if(c356, toFloat64(c7), if((c308 = 0), if((c3 >= fromUnixTimestamp64Nano({p16:Int64}, 'UTC')), toFloat64(c7), toFloat64(c7) * 0), if((c3 > c357) OR (c6 < c358), toFloat64(c7), toFloat64(c7) - c360))) AS c361,
                if(c362, [toStartOfInterval(c2, toIntervalSecond(1800))], []) AS c373,
                if(c367, [toStartOfInterval(c364, toIntervalSecond(1800))], []) AS c374
              FROM (
                SELECT series AS c1,
                  materialize(if(ifNull((
                  SELECT max((temporality = {p6:String})) AS c309
                  FROM metric_series
                  WHERE workspace = {p7:UInt32}
                  AND project = {p8:UInt32}
                  AND day >= toDate(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
                  AND day <= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
                  AND (metric = {p11:String})
                ), false), c1 IN (
                  SELECT series AS c312
                  FROM metric_series
                  WHERE workspace = {p7:UInt32}
                  AND project = {p8:UInt32}
                  AND day >= toDate(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
                  AND day <= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
                  AND (metric = {p11:String})
                  AND (temporality = 'delta')
                  GROUP BY c312
                ), false)) AS c356,
                  sum AS c7,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
                  count AS c6
                FROM metric_histograms
                WHERE workspace = {p7:UInt32}
                AND project = {p8:UInt32}
                AND time >= fromUnixTimestamp64Milli({p12:Int64}, 'UTC')
                AND time < fromUnixTimestamp64Milli({p13:Int64}, 'UTC')
                AND (((metric = {p11:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC') OR NOT series IN (
                  SELECT series AS c128
                  FROM metric_histograms
                  WHERE workspace = {p7:UInt32}
                  AND project = {p8:UInt32}
                  AND time >= fromUnixTimestamp64Milli({p14:Int64}, 'UTC')
                  AND time < fromUnixTimestamp64Milli({p15:Int64}, 'UTC')
                  AND ((metric = {p11:String}) AND NOT no_recorded_value)
                  GROUP BY c128
                )))
                ORDER BY series,
                  time,
                  nanos,
                  count DESC,
                  sum DESC,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
                LIMIT 1 BY series,
                  time,
                  nanos
              )
            )
            ARRAY JOIN arrayDistinct(arrayConcat(c373, c374)) AS c370,
              arrayMap(b -> has(c373, b), arrayDistinct(arrayConcat(c373, c374))) AS c371,
              arrayMap(b -> has(c374, b), arrayDistinct(arrayConcat(c373, c374))) AS c372
            WHERE (c371 OR c372)
            GROUP BY c375,
              c376
          )
          GROUP BY c398,
            c399
        )
      ) AS l
      INNER JOIN (
        WITH any(resource) AS c424,
          max(resource_types) AS c426,
          any(attributes) AS c425,
          max(attribute_types) AS c427
        SELECT concat('j', toJSONString(mapSort(mapUpdate(mapFilter((k, v) -> v != '' AND NOT k IN ({p17:String}, {p18:String}), (c424, c426).1), mapFilter((k, v) -> v != '' AND NOT k IN ({p17:String}, {p18:String}), (c425, c427).1))))) AS c937,
          series AS c413
        FROM metric_series
        WHERE workspace = {p7:UInt32}
        AND project = {p8:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
        AND (metric = {p11:String})
        GROUP BY c413
      ) AS r ON c405 = c413
      GROUP BY c457,
        c458
      HAVING (ifNull(if(substring(multiIf(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}))), JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String})), substring(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String})), concat('n', JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}))), 1, 1) IN ('s'), substring(multiIf(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}))), JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String})), substring(JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String})), concat('n', JSONExtractRaw(ifNull(if(substring(c458, 1, 1) IN ('j'), substring(c458, 2), NULL), ''), {p4:String}))), 2), NULL), '') = {p5:String})
      ORDER BY c457,
        c459 DESC,
        c457,
        c458
      LIMIT 1 BY c457
    )
    ORDER BY c463,
      c461,
      c460 WITH FILL
    FROM toDateTime({p2:Int64}, 'UTC') TO toDateTime({p3:Int64}, 'UTC') STEP toIntervalSecond(1800)
  )
  WHERE (c463 = 1)
  UNION ALL WITH ifNull(toFloat64(c926), toFloat64({p1:Int64})) AS c928
  SELECT false AS c929,
    (c924 + toIntervalSecond(1800)) AS c930,
    c925 AS c932,
    c928 AS c934
  FROM (
    SELECT c924,
      c925,
      c926,
      c927
    FROM (
      WITH toStartOfInterval(c870, toIntervalSecond(1800)) AS c921,
        c938 AS c922,
        ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c871, c874))], [sumOrNull(coalesce(c871, c874))])[1], 0.) AS c923
      SELECT c921 AS c924,
        c922 AS c925,
        toNullable(c923) AS c926,
        materialize(1) AS c927
      FROM (
        SELECT c870,
          c871,
          c874,
          c869
        FROM (
          WITH fromUnixTimestamp64Nano(c754 * 1800000000000, 'UTC') AS c757,
            arrayCompact(c751) AS c753,
            arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c750, arrayDifference(c751))) AS c752
          SELECT c693 AS c869,
            toDateTime64(c757, 9, 'UTC') AS c870,
            c755 AS c871,
            CAST(NULL, 'Nullable(Float64)') AS c874
          FROM (
            WITH materialize(if(ifNull((
              SELECT max((temporality = {p6:String})) AS c702
              FROM metric_series
              WHERE workspace = {p7:UInt32}
              AND project = {p8:UInt32}
              AND day >= toDate(fromUnixTimestamp64Nano({p21:Int64}, 'UTC'))
              AND day <= toDate(fromUnixTimestamp64Nano({p22:Int64}, 'UTC'))
              AND (metric = {p11:String})
            ), false), c693 IN (
              SELECT series AS c705
              FROM metric_series
              WHERE workspace = {p7:UInt32}
              AND project = {p8:UInt32}
              AND day >= toDate(fromUnixTimestamp64Nano({p21:Int64}, 'UTC'))
              AND day <= toDate(fromUnixTimestamp64Nano({p22:Int64}, 'UTC'))
              AND (metric = {p11:String})
              AND (temporality = 'delta')
              GROUP BY c705
            ), false)) AS c749
            SELECT c693,
              arrayMap(t -> if(t < 1795095000000000000, -1, intDiv(t, 1800000000000)), c699) AS c751,
              if(c749, c700, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795095000000000000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c700), arrayDifference(c700), c700, arrayDifference(c701), c701)) AS c750
            FROM (
              SELECT c693,
                if(c697, tupleElement(c698, 1), c694) AS c699,
                if(c697, tupleElement(c698, 2), c695) AS c700,
                if(c697, tupleElement(c698, 3), c696) AS c701
              FROM (
                SELECT c693,
                  (arrayMin(arrayPopFront(arrayDifference(c694))) <= 0) AS c697,
                  if(c697, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c694, c695, c696)))), []) AS c698,
                  c694,
                  c695,
                  c696
                FROM (
                  SELECT c465 AS c693,
                    groupArray(toUnixTimestamp64Nano(c466)) AS c694,
                    groupArray(c468) AS c695,
                    groupArray(toUnixTimestamp64Nano(c467)) AS c696
                  FROM (
                    SELECT series AS c465,
                      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c466,
                      value AS c468,
                      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c467
                    FROM metric_points
                    WHERE workspace = {p7:UInt32}
                    AND project = {p8:UInt32}
                    AND time >= fromUnixTimestamp64Milli({p23:Int64}, 'UTC')
                    AND time < fromUnixTimestamp64Milli({p24:Int64}, 'UTC')
                    AND (((metric = {p11:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p21:Int64}, 'UTC') OR NOT series IN (
                      SELECT series AS c569
                      FROM metric_points
                      WHERE workspace = {p7:UInt32}
                      AND project = {p8:UInt32}
                      AND time >= fromUnixTimestamp64Milli({p25:Int64}, 'UTC')
                      AND time < fromUnixTimestamp64Milli({p26:Int64}, 'UTC')
                      AND ((metric = {p11:String}) AND NOT no_recorded_value)
                      GROUP BY c569
                    )))
                    ORDER BY series,
                      time,
                      nanos
                  )
                  GROUP BY c693
                )
              )
            )
          )
          ARRAY JOIN c753 AS c754,
            c752 AS c755
          WHERE (c754 >= 0)
          UNION ALL WITH c839 AS c862,
            c840 AS c863,
            sumOrNull(c842) AS c865
          SELECT c862 AS c869,
            toDateTime64(c863, 9, 'UTC') AS c870,
            CAST(NULL, 'Nullable(Float64)') AS c871,
            c865 AS c874
          FROM (
            SELECT c465 AS c839,
              c834 AS c840,
              sumOrNullIf(c825, c835) AS c842
            FROM (
              WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c772,
                lagInFrame(c467) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c821,
                lagInFrame(c470) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c822,
                lagInFrame(c471) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c824,
                (c466 >= fromUnixTimestamp64Nano({p27:Int64}, 'UTC')) AS c826,
                leadInFrame(c466) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c828,
                leadInFrame(c467) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c829,
                leadInFrame(c470) OVER (PARTITION BY c465 ORDER BY c466 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c830,
                (c828 >= c466 AND (c828 >= fromUnixTimestamp64Nano({p27:Int64}, 'UTC'))  AND NOT c820 AND NOT c829 > c467 AND NOT c830 < c470) AS c831
              SELECT c465,
                if(c820, toFloat64(c471), if((c772 = 0), if((c467 >= fromUnixTimestamp64Nano({p27:Int64}, 'UTC')), toFloat64(c471), toFloat64(c471) * 0), if((c467 > c821) OR (c470 < c822), toFloat64(c471), toFloat64(c471) - c824))) AS c825,
                if(c826, [toStartOfInterval(c466, toIntervalSecond(1800))], []) AS c837,
                if(c831, [toStartOfInterval(c828, toIntervalSecond(1800))], []) AS c838
              FROM (
                SELECT series AS c465,
                  materialize(if(ifNull((
                  SELECT max((temporality = {p6:String})) AS c773
                  FROM metric_series
                  WHERE workspace = {p7:UInt32}
                  AND project = {p8:UInt32}
                  AND day >= toDate(fromUnixTimestamp64Nano({p21:Int64}, 'UTC'))
                  AND day <= toDate(fromUnixTimestamp64Nano({p22:Int64}, 'UTC'))
                  AND (metric = {p11:String})
                ), false), c465 IN (
                  SELECT series AS c776
                  FROM metric_series
                  WHERE workspace = {p7:UInt32}
                  AND project = {p8:UInt32}
                  AND day >= toDate(fromUnixTimestamp64Nano({p21:Int64}, 'UTC'))
                  AND day <= toDate(fromUnixTimestamp64Nano({p22:Int64}, 'UTC'))
                  AND (metric = {p11:String})
                  AND (temporality = 'delta')
                  GROUP BY c776
                ), false)) AS c820,
                  sum AS c471,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c466,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c467,
                  count AS c470
                FROM metric_histograms
                WHERE workspace = {p7:UInt32}
                AND project = {p8:UInt32}
                AND time >= fromUnixTimestamp64Milli({p23:Int64}, 'UTC')
                AND time < fromUnixTimestamp64Milli({p24:Int64}, 'UTC')
                AND (((metric = {p11:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p21:Int64}, 'UTC') OR NOT series IN (
                  SELECT series AS c592
                  FROM metric_histograms
                  WHERE workspace = {p7:UInt32}
                  AND project = {p8:UInt32}
                  AND time >= fromUnixTimestamp64Milli({p25:Int64}, 'UTC')
                  AND time < fromUnixTimestamp64Milli({p26:Int64}, 'UTC')
                  AND ((metric = {p11:String}) AND NOT no_recorded_value)
                  GROUP BY c592
                )))
                ORDER BY series,
                  time,
                  nanos,
                  count DESC,
                  sum DESC,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
                LIMIT 1 BY series,
                  time,
                  nanos
              )
            )
            ARRAY JOIN arrayDistinct(arrayConcat(c837, c838)) AS c834,
              arrayMap(b -> has(c837, b), arrayDistinct(arrayConcat(c837, c838))) AS c835,
              arrayMap(b -> has(c838, b), arrayDistinct(arrayConcat(c837, c838))) AS c836
            WHERE (c835 OR c836)
            GROUP BY c839,
              c840
          )
          GROUP BY c862,
            c863
        )
      ) AS l
      INNER JOIN (
        WITH any(resource) AS c888,
          max(resource_types) AS c890,
          any(attributes) AS c889,
          max(attribute_types) AS c891
        SELECT concat('j', toJSONString(mapSort(mapUpdate(mapFilter((k, v) -> v != '' AND NOT k IN ({p17:String}, {p18:String}), (c888, c890).1), mapFilter((k, v) -> v != '' AND NOT k IN ({p17:String}, {p18:String}), (c889, c891).1))))) AS c938,
          series AS c877
        FROM metric_series
        WHERE workspace = {p7:UInt32}
        AND project = {p8:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p21:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p22:Int64}, 'UTC'))
        AND (metric = {p11:String})
        GROUP BY c877
      ) AS r ON c869 = c877
      GROUP BY c921,
        c922
      HAVING (ifNull(if(substring(multiIf(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}))), JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String})), substring(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String})), concat('n', JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}))), 1, 1) IN ('s'), substring(multiIf(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}) IN ('', 'null'), NULL, startsWith(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}), '"'), concat('s', JSONExtractString(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}))), JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}) IN ('true', 'false'), concat('b', JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String})), substring(JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}), 1, 1) IN ('{', '['), concat('j', JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String})), concat('n', JSONExtractRaw(ifNull(if(substring(c922, 1, 1) IN ('j'), substring(c922, 2), NULL), ''), {p4:String}))), 2), NULL), '') = {p5:String})
      ORDER BY c921,
        c923 DESC,
        c921,
        c922
      LIMIT 1 BY c921
    )
    ORDER BY c927,
      c925,
      c924 WITH FILL
    FROM toDateTime({p19:Int64}, 'UTC') TO toDateTime({p20:Int64}, 'UTC') STEP toIntervalSecond(1800)
  )
  WHERE (c927 = 1)
)
GROUP BY c931,
  c933
ORDER BY c931,
  if(substring(c933, 1, 1) IN ('n', 'f'), toFloat64OrNull(substring(c933, 2)), NULL),
  substring(c933, 2)
LIMIT 1001
-- p1 = "0"
-- p2 = "1795096800"
-- p3 = "1795100400"
-- p4 = "service.name"
-- p5 = "cart"
-- p6 = "delta"
-- p7 = 7
-- p8 = 1
-- p9 = "1795096200000000000"
-- p10 = "1795100400000000000"
-- p11 = "requests"
-- p12 = "1795089600000"
-- p13 = "1795100400000"
-- p14 = "1795096200000"
-- p15 = "1795096800000"
-- p16 = "1795096800000000000"
-- p17 = "route"
-- p18 = "host.name"
-- p19 = "1795095000"
-- p20 = "1795098600"
-- p21 = "1795094400000000000"
-- p22 = "1795098600000000000"
-- p23 = "1795087800000"
-- p24 = "1795098600000"
-- p25 = "1795094400000"
-- p26 = "1795095000000"
-- p27 = "1795095000000000000"
