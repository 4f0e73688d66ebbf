/** Last labels of domains that people write without a scheme: the common ones, and those of countries. */

const common =
  'com org net edu gov mil int info biz name app dev page blog site online shop store tech cloud social news world live ' +
  'life xyz art design studio agency network systems email link wiki club space zone today media pub team chat ' +
  'community foundation global international land earth city school university science software tools games video ' +
  'photos pics music band film book press health care law bank money eco green farm garden kitchen coffee pizza beer ' +
  'travel house berlin hamburg koeln wien paris london nyc amsterdam brussels tokyo cat bzh eus gal scot wales asia ' +
  'africa'

const countries =
  'ac ad ae af ag ai al ao ar au aw ax az ba bb bd bf bg bh bi bj bm bn bo br bs bt bw bz ca cd cf cg ch ci ck cl cm cn ' +
  'co cr cu cv cw cx cy cz de dj dk dm dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr ' +
  'gt gu gw gy hk hm hn hr ht hu id ie il im io iq ir je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ' +
  'ls lt lu lv ly ma mc mg mh mk mm mn mo mp mq mr ms mt mu mv mw mx mz na nc ne nf ng ni nl np nr nu nz om pa pe pf ' +
  'pg ph pk pn pr pt pw py qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr ss st su sv sx sy sz tc td tf tg th tj tk ' +
  'tl tm tn tr tt tv tw tz ua ug uk uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw'

/** Also words after a missing space (“done.It”), or the ends of file names (`readme.md`). */
const wordLike = 'am as at be by cc do gs hm in is it md me my no pl pm ps py rs sh so to us zip mov'

export const wordLikeDomains: ReadonlySet<string> = new Set(wordLike.split(' '))
export const topLevelDomains: ReadonlySet<string> = new Set(
  `${common} ${countries}`.split(' ').filter((name) => !wordLikeDomains.has(name)),
)
