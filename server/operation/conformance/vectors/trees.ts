/**
 * Trees before and after a commit: `firehose/commit-proof-fixtures.json`, and heights of keys: `mst/key_heights.json`, of
 * https://github.com/bluesky-social/atproto-interop-tests (public domain, CC0).
 */

/** The value of all keys. */
export const leaf = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454'

export interface ProofVector {
  readonly name: string
  readonly keys: readonly string[]
  readonly adds: readonly string[]
  readonly dels: readonly string[]
  readonly rootBefore: string
  readonly rootAfter: string
  /** CIDs of the blocks that show that the operations lead from one tree to the other. */
  readonly blocks: readonly string[]
}

export const proofs: readonly ProofVector[] = [
  {
    name: 'two deep split',
    keys: ['A0/374913', 'B1/986427', 'C0/451630', 'E0/670489', 'F1/085263', 'G0/765327'],
    adds: ['D2/269196'],
    dels: [],
    rootBefore: 'bafyreicraprx2xwnico4tuqir3ozsxpz46qkcpox3obf5bagicqwurghpy',
    rootAfter: 'bafyreihvay6pazw3dfa47u5d2tn3rd6pa57sr37bo5bqyvjuqc73ib65my',
    blocks: [
      'bafyreieazvzmba35p4phksumwfoklwe5o4ncmo7otud74idcyv4orrbzxi',
      'bafyreie4227qpa4vbtbpnsvuhp322b776vjuhxsidi5hxp2gawumr4m3de',
      'bafyreid44jgimksqqdratyste2moqu6zo4h6co2pknjppfoiplsqxtuxae',
      'bafyreiaerlvitye7fjjwodkshtbqqdsmfsdjtnlz4vs6y4trnddshsmd5a',
      'bafyreihvay6pazw3dfa47u5d2tn3rd6pa57sr37bo5bqyvjuqc73ib65my',
    ],
  },
  {
    name: 'two deep leafless split',
    keys: ['A0/374913', 'B0/601692', 'D0/952776', 'E0/670489'],
    adds: ['C2/014073'],
    dels: [],
    rootBefore: 'bafyreialm5sgf7pijawbschsjpdevid5rss5ip3d4n4w6cc4mhu53sfl4i',
    rootAfter: 'bafyreibxh4iztp5l2yshz3ectg2qjpeyprpw2gogao3pvceowpq3k3thya',
    blocks: [
      'bafyreih7dxytqtcjv3cfia3fi3wxofeip62teqkpynnkxisxqwfchfb4bu',
      'bafyreiaqbymlnvpklmogx75gozjl3y73gva43jbgwcrqu2pp5g5ejou5vm',
      'bafyreicfh3st5ghtnoqyyvznjv4lhfnvl7qsndempx35i4tcmoxakqbgrm',
      'bafyreieyjrrai6igjceyxzkajrxgxz37da2eufb33anvesb4ev6yzztauu',
      'bafyreibxh4iztp5l2yshz3ectg2qjpeyprpw2gogao3pvceowpq3k3thya',
    ],
  },
  {
    name: 'add on edge with neighbor two layers down',
    keys: ['A0/374913', 'B2/827649', 'C0/451630'],
    adds: ['D2/269196'],
    dels: [],
    rootBefore: 'bafyreigc6ay2qwfk7kuevvrczummpd64nknfo4yxpaooknfymzyb7u3ntq',
    rootAfter: 'bafyreign6kxoll35r5f2ske6hjx7vg56aw3jn6r5hcopgrepzafpvohr2a',
    blocks: [
      'bafyreieazvzmba35p4phksumwfoklwe5o4ncmo7otud74idcyv4orrbzxi',
      'bafyreidicvcjgrpm5bmhm3ndh2ysqfhgzk4chwn3m4kuvwkenfusspb4uy',
      'bafyreign6kxoll35r5f2ske6hjx7vg56aw3jn6r5hcopgrepzafpvohr2a',
    ],
  },
  {
    name: 'merge and split in multi-op commit',
    keys: ['A0/374913', 'B2/827649', 'D2/269196', 'E0/670489'],
    adds: ['C2/014073'],
    dels: ['B2/827649', 'D2/269196'],
    rootBefore: 'bafyreiceld4icym4qjmdcn3dfgtxt7t66hdgyhvigessgmkvb56dx6amgi',
    rootAfter: 'bafyreigkalika3taqauapfha556lo36zzcjoiifny5xeru6yis3nxw5ruq',
    blocks: [
      'bafyreid44jgimksqqdratyste2moqu6zo4h6co2pknjppfoiplsqxtuxae',
      'bafyreihytu6onh476trave25zuo63ziebkeong2755sc5nmf55uzdawgt4',
      'bafyreigkalika3taqauapfha556lo36zzcjoiifny5xeru6yis3nxw5ruq',
      'bafyreidnnkrdkcaswbflgtdsxm7nzs7p5f2rdous6wrlupzstuwqu5pfgm',
      'bafyreia2kq243hqq3volwlzkbzzphoeqauk54sc5h7vgogq4ei5fjizxvy',
    ],
  },
  {
    name: 'complex multi-op commit',
    keys: ['B0/601692', 'C2/014073', 'D0/952776', 'E2/819540', 'F0/697858', 'H0/131238'],
    adds: ['A2/827942', 'G2/611528'],
    dels: ['C2/014073'],
    rootBefore: 'bafyreigr3plnts7dax6yokvinbhcqpyicdfgg6npvvyx6okc5jo55slfqi',
    rootAfter: 'bafyreiftrcrbhrwmi37u4egedlg56gk3jeh3tvmqvwgowoifuklfysyx54',
    blocks: [
      'bafyreih62n3gjbzzvlicuggpfydyzrp3ssyx7hdgtltd3sct3ribm3u73e',
      'bafyreihrjhuoynjvgteuefin5vwnqmupyfzvmytdobpstqt3mbawgw5qhm',
      'bafyreibevzst4gzkxo263syohlmq3lpxdvpjhlpyqx2ay3moh43lifydca',
      'bafyreifsdd7dv2neal7zjhyrsvndkaocelqlpgfxwo4utoq2g77klih37e',
      'bafyreid2wwyroodj2lxx2obikac74q77lsn6vqkoetlqqwwnr3criwlcvy',
      'bafyreie55b224oljhykpsxdjq4ajn2ysksud7qm347s6kn2ei6a775faum',
      'bafyreiftrcrbhrwmi37u4egedlg56gk3jeh3tvmqvwgowoifuklfysyx54',
    ],
  },
  {
    name: 'split with earlier leaves on same layer',
    keys: [
      'app.bsky.feed.post/3lo3kqqljmfe2',
      'app.bsky.feed.post/3log4547dm6h2',
      'app.bsky.feed.post/3log45inogon2',
      'app.bsky.feed.post/3logaodrh74d2',
      'app.bsky.feed.post/3logteazog2n2',
      'app.bsky.feed.post/3lon5cqsbwrj2',
      'app.bsky.feed.repost/3l6sjhvqonco2',
    ],
    adds: ['app.bsky.feed.post/3lon5dzeaihj2'],
    dels: [],
    rootBefore: 'bafyreigfcsro2up7qi7l3rxdpg7n6gjtteotkmgrrqztl5oy2tf4ncl4ji',
    rootAfter: 'bafyreig33hsjiplaixvmccy65n7rn3in5nsbtcittzx6k3w5wjfhk2sg3a',
    blocks: [
      'bafyreig33hsjiplaixvmccy65n7rn3in5nsbtcittzx6k3w5wjfhk2sg3a',
      'bafyreih2rhjm3apcghihwfojv2em7noqkgt5qyjcnxux7do674m464oc3m',
      'bafyreiajhswkduap4zvqvfhth3skdgckmk2eb5gow7vv3gvj45f4fqwmxm',
    ],
  },
]

export const heights: Readonly<Record<string, number>> = {
  '': 0,
  asdf: 0,
  blue: 1,
  '2653ae71': 0,
  '88bfafc7': 2,
  '2a92d355': 4,
  '884976f5': 6,
  'app.bsky.feed.post/454397e440ec': 4,
  'app.bsky.feed.post/9adeb165882c': 8,
}
