-- logs | where severity == info or severity == error | patterns | fields pattern, count
SELECT c32 AS r1,
  c33 AS r2
FROM (
  SELECT c31 AS c32,
    sum(c14) AS c33
  FROM (
    WITH tuple(minForEach(c21) OVER (PARTITION BY c29), uniqUpToForEach(1)(c21) OVER (PARTITION BY c29)) AS c30
    SELECT arrayStringConcat(arrayMap((word, forms) -> if(forms = 1, word, if(startsWith(word, ' '), ' *', '*')), tupleElement(c30, 1), tupleElement(c30, 2))) AS c31,
      c14
    FROM (
      WITH tuple(uniqUpToForEach(4)(c22) OVER (PARTITION BY c27), maxForEach(c23) OVER (PARTITION BY c27)) AS c28
      SELECT c21,
        cityHash64(c27, arrayFilter((k, forms, value) -> forms BETWEEN 2 AND 4 AND NOT value, c22, tupleElement(c28, 1), tupleElement(c28, 2))) AS c29,
        c14
      FROM (
        WITH tuple(uniqUpToForEach(4)(c22) OVER (PARTITION BY c25), maxForEach(c23) OVER (PARTITION BY c25)) AS c26
        SELECT c21,
          cityHash64(c25, arrayFilter((k, forms, value) -> forms BETWEEN 2 AND 4 AND NOT value, c22, tupleElement(c26, 1), tupleElement(c26, 2))) AS c27,
          c22,
          c23,
          c14
        FROM (
          WITH uniqUpTo(100)(c22[1]) OVER (PARTITION BY length(c22)) AS c24
          SELECT c21,
            cityHash64(length(c22), if(c24 <= 100, c22[1], '')) AS c25,
            c22,
            c23,
            c14
          FROM (
            WITH any(body) AS c15,
              trimBoth(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(substring(c15, 1, 8192), '[^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*[0-9][^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*', '*'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '[ \\t\\r\\n]+', ' ')) AS c19,
              extractAll(if(lengthUTF8(c19) > 2000, concat(leftUTF8(c19, 2000), ' *'), c19), ' ?(?:(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\]))(?:(?:, ?| |:|@|/|_|-| - )(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\]))| ?\\( ?(?:(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\])))? ?\\))*|[\\pL\\pM_$.*#-]+|.)') AS c20,
              if(shape = 0, cityHash64(trimBoth(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(substring(body, 1, 8192), '[^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*[0-9][^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*', '*'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '[ \\t\\r\\n]+', ' '))), shape) AS c18
            SELECT if(length(c20) > 200, arrayPushBack(arraySlice(c20, 1, 199), ' *'), c20) AS c21,
              arrayMap((w, b, a) -> if(match(w, '^ ?(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\]))|\\*') OR (match(w, '^ ?[\\pL_]') AND ((b = '=' AND NOT match(a, '(?i)^ ?(?:msg|message|event)$')) OR match(b, '(?i)^ ?user$'))), '*', w), c21, arrayPopBack(arrayPushFront(c21, '')), arrayPopBack(arrayPopBack(arrayPushFront(arrayPushFront(c21, ''), '')))) AS c22,
              arrayMap(k -> k = '*', c22) AS c23,
              count() AS c14
            FROM logs
            WHERE workspace = {p1:UInt32}
            AND project = {p2:UInt32}
            AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
            AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
            AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
            AND ((severity >= 9 AND severity < 13) OR (severity >= 17 AND severity < 21))
            GROUP BY c18
          )
        )
      )
    )
  )
  GROUP BY c32
)
ORDER BY c33 DESC,
  c32
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
