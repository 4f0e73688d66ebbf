import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { describe, expect, test } from 'vitest'
import {
  ConfigError,
  defaultConfig,
  defaultDataDir,
  helpText,
  publicOrigin,
  readConfig,
  settingsTable,
  startOptions,
} from '../../../../server/platform/config/config.ts'
import { shellQuoted } from '../../../../server/util/shell.ts'

const fromArgs = (...args: string[]) => readConfig({ env: {}, args })
const fromEnv = (env: Record<string, string>) => readConfig({ env, args: [] })

test('without flags and variables every setting has its default', () => {
  expect(readConfig({ env: { XDG_DATA_HOME: '/data', APPDATA: 'C:\\data' }, args: [] })).toEqual({
    dataDir: defaultDataDir({ XDG_DATA_HOME: '/data', APPDATA: 'C:\\data' }),
    port: 2583,
    hosts: ['127.0.0.1', '::1'],
    hostnames: [],
    trustedProxies: [],
    proxyPort: undefined,
    trustedOrigins: [],
    publicUrl: undefined,
    userDomains: ['.test'],
    inviteRequired: 'auto',
    accountMediaLimit: 1_000_000_000,
    accountImportLimit: 500_000_000,
    diskReserve: 1_000_000_000,
    inviteInterval: undefined,
    blobUploadLimit: 300_000_000,
    importLimit: 1_000_000_000,
    adminPassword: undefined,
    smtpUrl: undefined,
    mailFrom: 'Personal data server <no-reply@localhost>',
    plcUrl: undefined,
    nameServers: [],
    aliases: new Map([
      ['com.atproto', 'com.core'],
      ['app.bsky', 'app.example'],
      ['chat.bsky', 'chat.example'],
    ]),
    oauth: true,
    rateLimits: true,
    dailyBackups: true,
    copies: [],
    copiesCredentials: undefined,
    copiesBandwidth: undefined,
    copiesKeep: 12,
    copiesMetered: false,
    eventRetention: 3 * 24 * 60 * 60_000,
    eventLimit: 64_000_000,
    eventBudget: { hour: 2500, day: 10_000 },
    remoteLimit: 100_000_000,
    relays: [],
    upstreams: [],
    backlinkStreamUrl: undefined,
    backlinkIndexUrl: undefined,
    allowPrivateTargets: false,
    logLevel: 'info',
    privacyUrl: undefined,
    termsUrl: undefined,
    contactEmail: undefined,
  })
})

test.each([
  ['dataDir', 'PDS_DATA_DIR', '/var/pds', '/var/pds'],
  ['dataDir', 'PDS_DATA_DIR', '/var/../srv/pds/', '/srv/pds'],
  ['dataDir', 'PDS_DATA_DIR', '~/pds', `${homedir()}/pds`],
  ['port', 'PDS_PORT', '0', 0],
  ['port', 'PDS_PORT', '65535', 65_535],
  ['hosts', 'PDS_HOST', '0.0.0.0', ['0.0.0.0']],
  ['hosts', 'PDS_HOST', '127.0.0.1, [::1]', ['127.0.0.1', '::1']],
  ['hosts', 'PDS_HOST', 'localhost', ['localhost']],
  [
    'relays',
    'PDS_RELAYS',
    'https://relay.example/, http://localhost:2470',
    ['https://relay.example', 'http://localhost:2470'],
  ],
  ['backlinkStreamUrl', 'PDS_BACKLINK_STREAM_URL', 'https://Live.example/v1/', 'https://live.example/v1'],
  ['backlinkIndexUrl', 'PDS_BACKLINK_INDEX_URL', 'http://localhost:6789', 'http://localhost:6789'],
  [
    'hostnames',
    'PDS_HOSTNAMES',
    'PDS.example.com,nas.lan,192.168.0.7',
    ['pds.example.com', 'nas.lan', '192.168.0.7'],
  ],
  ['hostnames', 'PDS_HOSTNAMES', 'nas.lan,NAS.lan', ['nas.lan']],
  ['trustedProxies', 'PDS_TRUSTED_PROXIES', 'Loopback', ['loopback']],
  [
    'trustedProxies',
    'PDS_TRUSTED_PROXIES',
    '10.0.0.2, 192.168.0.0/16,FD00::/8',
    ['10.0.0.2', '192.168.0.0/16', 'fd00::/8'],
  ],
  ['proxyPort', 'PDS_PROXY_PORT', '2584', 2584],
  [
    'trustedOrigins',
    'PDS_TRUSTED_ORIGINS',
    'http://LOCALHOST:5173, https://app.example.com:443,chrome-extension://AbC',
    ['http://localhost:5173', 'https://app.example.com', 'chrome-extension://abc'],
  ],
  ['publicUrl', 'PDS_PUBLIC_URL', 'https://PDS.example.com/', 'https://pds.example.com'],
  ['publicUrl', 'PDS_PUBLIC_URL', 'http://nas.lan:2583', 'http://nas.lan:2583'],
  ['aliases', 'PDS_ALIASES', 'none', new Map()],
  ['aliases', 'PDS_ALIASES', 'Com.Atproto=com.core', new Map([['com.atproto', 'com.core']])],
  ['userDomains', 'PDS_USER_DOMAINS', '.Example.com, .test', ['.example.com', '.test']],
  ['inviteRequired', 'PDS_INVITE_REQUIRED', 'TRUE', 'on'],
  ['inviteRequired', 'PDS_INVITE_REQUIRED', '0', 'off'],
  ['inviteRequired', 'PDS_INVITE_REQUIRED', 'Auto', 'auto'],
  ['inviteInterval', 'PDS_INVITE_INTERVAL', '90s', 90_000],
  ['inviteInterval', 'PDS_INVITE_INTERVAL', '7d', 604_800_000],
  ['blobUploadLimit', 'PDS_BLOB_UPLOAD_LIMIT', '1000', 1000],
  ['blobUploadLimit', 'PDS_BLOB_UPLOAD_LIMIT', '8 gb', 8_000_000_000],
  ['importLimit', 'PDS_IMPORT_LIMIT', '500MB', 500_000_000],
  ['adminPassword', 'PDS_ADMIN_PASSWORD', 'eight ch', 'eight ch'],
  [
    'smtpUrl',
    'PDS_SMTP_URL',
    'smtps://me:p%40ss@mail.example.com:465',
    'smtps://me:p%40ss@mail.example.com:465',
  ],
  ['mailFrom', 'PDS_MAIL_FROM', 'Alice <alice@example.com>', 'Alice <alice@example.com>'],
  ['mailFrom', 'PDS_MAIL_FROM', 'alice@example.com', 'alice@example.com'],
  ['plcUrl', 'PDS_PLC_URL', 'https://plc.example.com/v1/', 'https://plc.example.com/v1'],
  ['copies', 'PDS_COPIES', 'file:///D:\\my copies\\', ['file:///D:/my%20copies']],
  ['copies', 'PDS_COPIES', 'file:///D:/', ['file:///D:/']],
  ['rateLimits', 'PDS_RATE_LIMITS', 'off', false],
  ['allowPrivateTargets', 'PDS_ALLOW_PRIVATE_TARGETS', 'on', true],
  ['logLevel', 'PDS_LOG_LEVEL', 'Debug', 'debug'],
  ['privacyUrl', 'PDS_PRIVACY_URL', 'https://example.com/privacy/', 'https://example.com/privacy/'],
  ['termsUrl', 'PDS_TERMS_URL', 'https://example.com/terms', 'https://example.com/terms'],
  ['contactEmail', 'PDS_CONTACT_EMAIL', 'me@example.com', 'me@example.com'],
] as const)('%s is read from %s=%s and from its flag', (name, variable, text, value) => {
  const flag = `--${variable.slice('PDS_'.length).toLowerCase().replaceAll('_', '-')}`
  expect(fromEnv({ [variable]: text })[name]).toEqual(value)
  expect(fromArgs(`${flag}=${text}`)[name]).toEqual(value)
})

test.each([
  ['PDS_DATA_DIR', 'a\0b'],
  ['PDS_PORT', 'abc'],
  ['PDS_PORT', '65536'],
  ['PDS_PORT', '-1'],
  ['PDS_PORT', '80.5'],
  ['PDS_HOST', 'http://localhost'],
  ['PDS_HOST', 'localhost:2583'],
  ['PDS_HOST', '127.0.0.1,'],
  ['PDS_HOST', '300.0.0.1'],
  ['PDS_HOSTNAMES', '*.example.com'],
  ['PDS_TRUSTED_PROXIES', 'caddy.lan'],
  ['PDS_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['PDS_TRUSTED_PROXIES', '10.0.0.0/'],
  ['PDS_TRUSTED_PROXIES', '10.0.0.0/8/8'],
  ['PDS_TRUSTED_PROXIES', '0.0.0.0/0'],
  ['PDS_TRUSTED_PROXIES', '::/0'],
  ['PDS_TRUSTED_PROXIES', 'fe80::1%eth0'],
  ['PDS_TRUSTED_PROXIES', '127.1'],
  ['PDS_PUBLIC_URL', 'pds.example.com'],
  ['PDS_PUBLIC_URL', 'ftp://pds.example.com'],
  ['PDS_PUBLIC_URL', 'https://pds.example.com/xrpc'],
  ['PDS_PUBLIC_URL', 'https://me@pds.example.com'],
  ['PDS_USER_DOMAINS', 'example.com'],
  ['PDS_USER_DOMAINS', '.'],
  ['PDS_USER_DOMAINS', '.exa_mple.com'],
  ['PDS_USER_DOMAINS', '.localhost'],
  ['PDS_INVITE_REQUIRED', 'maybe'],
  ['PDS_INVITE_INTERVAL', '7'],
  ['PDS_INVITE_INTERVAL', '0d'],
  ['PDS_INVITE_INTERVAL', '1 week'],
  ['PDS_MAIL_FROM', 'Alice'],
  ['PDS_MAIL_FROM', 'A\r\nBcc: b@example.com <a@example.com>'],
  ['PDS_PLC_URL', 'plc.directory'],
  ['PDS_APP_VIEW_DID', 'api.example.com'],
  ['PDS_APP_VIEW_URL', 'https://api.example.com/xrpc'],
  ['PDS_BACKLINK_STREAM_URL', 'wss://live.example'],
  ['PDS_BACKLINK_INDEX_URL', 'https://links.example?key=1'],
  ['PDS_COPIES', 'file:///copies%2Fhere'],
  ['PDS_RATE_LIMITS', 'of'],
  ['PDS_ALLOW_PRIVATE_TARGETS', '2'],
  ['PDS_LOG_LEVEL', 'loud'],
  ['PDS_PRIVACY_URL', 'javascript:alert(1)'],
  ['PDS_TERMS_URL', 'terms'],
  ['PDS_CONTACT_EMAIL', 'me@'],
])('%s=%j throws a ConfigError with the setting and the value', (variable, text) => {
  const flag = `--${variable.slice('PDS_'.length).toLowerCase().replaceAll('_', '-')}`
  for (const [name, read] of [
    [variable, () => fromEnv({ [variable]: text })],
    [flag, () => fromArgs(`${flag}=${text}`)],
  ] as const) {
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(`${name} is ${JSON.stringify(text)}; expected `)
    expect(read).toThrow(/[^.]\.$/)
  }
})

test('an app view needs its DID and its URL', () => {
  const did = { PDS_APP_VIEW_DID: 'did:web:api.example.com' }
  const url = { PDS_APP_VIEW_URL: 'https://api.example.com' }
  expect(fromEnv({ ...did, ...url })).toMatchObject({
    appViewDid: 'did:web:api.example.com',
    appViewUrl: 'https://api.example.com',
  })
  for (const one of [did, url]) expect(() => fromEnv(one)).toThrow(ConfigError)
})

test.each([
  ['PDS_ADMIN_PASSWORD', '7 chars'],
  ['PDS_ADMIN_PASSWORD', 'with a\nnew line'],
  ['PDS_SMTP_URL', 'http://me:hunter22@mail.example.com'],
  ['PDS_SMTP_URL', 'me:hunter22@mail.example.com'],
  ['PDS_SMTP_URL', 'smtps://100%:hunter22@mail.example.com'],
  ['PDS_SMTP_URL', 'smtps://me:50%off@mail.example.com'],
  ['PDS_SMTP_URL', 'smtps://me:hunter22@mail%20server.example.com'],
])('an invalid %s is refused without repeating its value', (variable, text) => {
  expect(() => fromEnv({ [variable]: text })).toThrow(
    expect.objectContaining({
      name: 'ConfigError',
      message: expect.stringMatching(new RegExp(`^${variable} has an invalid value; expected .+\\.$`)),
    }),
  )
})

describe('flags', () => {
  test('take precedence over variables, and an empty variable counts as unset', () => {
    expect(readConfig({ env: { PDS_PORT: '1' }, args: ['--port', '2'] }).port).toBe(2)
    expect(readConfig({ env: { PDS_PORT: 'x' }, args: ['--port', '2'] }).port).toBe(2)
    expect(fromEnv({ PDS_PORT: '', PDS_HOSTNAMES: '' })).toMatchObject({ port: 2583, hostnames: [] })
  })

  test('switch on by name and off by =off or no-', () => {
    expect(fromArgs('--invite-required', '--port', '1')).toMatchObject({ inviteRequired: 'on', port: 1 })
    expect(fromArgs('--rate-limits=off').rateLimits).toBe(false)
    expect(fromArgs('--no-rate-limits').rateLimits).toBe(false)
    expect(fromArgs('--no-rate-limits', '--rate-limits').rateLimits).toBe(true)
  })

  test.each([
    [['--prot', '1'], 'Unknown flag --prot; --help lists the known ones.'],
    [['-p', '1'], 'Unknown flag -p; --help lists the known ones.'],
    [['--no-port'], 'Unknown flag --no-port; --help lists the known ones.'],
    [['--no-rate-limits=on'], 'Unknown flag --no-rate-limits; --help lists the known ones.'],
    [['--__proto__', '1'], 'Unknown flag --__proto__; --help lists the known ones.'],
    [['--constructor=1'], 'Unknown flag --constructor; --help lists the known ones.'],
    [['--port'], '--port has no value; expected a whole number from 0 to 65535.'],
    [['--data-dir', '--port', '1'], '--data-dir has no value; expected a folder.'],
    [['--port='], '--port is ""; expected a whole number from 0 to 65535.'],
    [['pds'], 'Unexpected argument "pds"; expected --name value, or --name=off for a switch.'],
    [
      ['--rate-limits', 'off'],
      'Unexpected argument "off"; expected --name value, or --name=off for a switch.',
    ],
    [['--'], 'Unexpected argument --; expected --name value, or --name=off for a switch.'],
  ])('%j is refused', (args, message) => {
    expect(() => fromArgs(...args)).toThrow(new ConfigError(message))
  })
})

test.each([
  ['linux', {}, '/home/al', '/home/al/.local/share/desktop-pds'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/home/al', '/data/desktop-pds'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/al', '/home/al/.local/share/desktop-pds'],
  ['freebsd', {}, '/home/al', '/home/al/.local/share/desktop-pds'],
  ['darwin', { XDG_DATA_HOME: '/data' }, '/Users/al', '/Users/al/Library/Application Support/Desktop PDS'],
  ['win32', { APPDATA: 'D:\\Roaming' }, 'C:\\Users\\al', 'D:\\Roaming\\Desktop PDS'],
  ['win32', {}, 'C:\\Users\\al', 'C:\\Users\\al\\AppData\\Roaming\\Desktop PDS'],
] as const)('on %s with %j the data folder is under %s', (platform, env, home, folder) => {
  expect(defaultDataDir(env, platform, home)).toBe(folder)
})

test('defaultConfig takes overrides and ignores the environment', () => {
  const config = defaultConfig({ dataDir: '/data', port: 0 })
  expect(config).toEqual({ ...readConfig({ env: {}, args: [] }), dataDir: '/data', port: 0 })
})

test('the public origin is the configured one, else localhost at the port in use', () => {
  expect(publicOrigin(defaultConfig({ dataDir: '/data' }), 4711)).toBe('http://localhost:4711')
  expect(publicOrigin(fromArgs('--public-url', 'https://pds.example.com'), 4711)).toBe(
    'https://pds.example.com',
  )
})

test('help and SETTINGS.md list every setting once, with flag, variable and default', () => {
  const names = Object.keys(readConfig({ env: {}, args: [] }))
  const rows = settingsTable().split('\n').slice(2, -1)
  const entries = helpText({}).split(/^(?= {2}--)/m)
  expect(rows).toHaveLength(names.length)
  expect(entries).toHaveLength(names.length)
  for (const row of rows) {
    const [, variable, flag] = /^\| `(PDS_[A-Z_]+)` \| `(--[a-z-]+)` \| [^|]+ \| [^|]+\. \|$/.exec(row) ?? []
    expect(helpText({}), row).toContain(`  ${flag}`)
    expect(helpText({}), row).toContain(`[${variable}; `)
  }
  expect(settingsTable()).toContain(
    '| `PDS_PORT` | `--port` | `2583` | Port to listen on; 0 means any free port. |',
  )
})

test('SETTINGS.md contains the table of settings', () => {
  const page = readFileSync(new URL('../../../../.github/SETTINGS.md', import.meta.url), 'utf8')
  expect(page).toContain(settingsTable())
})

describe('the options that start the same server again', () => {
  const given = (args: readonly string[], env: Record<string, string> = {}) => startOptions({ env, args })

  test('have what flags and variables give, with absolute folders, and flags before variables', () => {
    const { options, secrets } = given(['--data-dir', '/the data', '--port=1234', '--no-oauth'], {
      PDS_PORT: '1',
      PDS_USER_DOMAINS: '.example.com',
    })
    const quoted = process.platform === 'win32' ? /^--data-dir ".*the data"$/ : /^--data-dir '\/the data'$/
    expect(options.map(({ flag, text }) => [flag, text])).toEqual([
      ['data-dir', expect.stringMatching(quoted)],
      ['port', '--port 1234'],
      ['user-domains', '--user-domains .example.com'],
      ['oauth', '--oauth=off'],
    ])
    expect(secrets).toEqual([])
    expect(readConfig({ env: {}, args: ['--port', '1234', '--oauth=off'] })).toMatchObject({
      ...{ port: 1234, oauth: false },
    })
  })

  test('name secrets alone', () => {
    const found = given(['--admin-password', 'very secret'], { PDS_SMTP_URL: 'smtp://a:secret@mail.test' })
    expect(found).toEqual({ options: [], secrets: ['PDS_ADMIN_PASSWORD', 'PDS_SMTP_URL'] })
  })

  test.each([
    ['/plain/path.d', '/plain/path.d', '/plain/path.d'],
    ["/it's here", "'/it'\\''s here'", '"/it\'s here"'],
    ['a & b | c', "'a & b | c'", '"a & b | c"'],
    ['$(date)', "'$(date)'", '"$(date)"'],
    ['C:\\data', "'C:\\data'", 'C:\\data'],
  ])('%s is quoted for the shell of the system', (text, posix, windows) => {
    expect(shellQuoted(text, 'linux')).toBe(posix)
    expect(shellQuoted(text, 'win32')).toBe(windows)
  })
})
