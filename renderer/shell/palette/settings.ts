/** Settings that the palette finds: the screen, the section, and words for it. */
import { isAtServer } from '../../api/endpoint.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'

interface Setting {
  /** The title of its section. Absent: the first of the screen. */
  readonly section?: string
  /** What it is called in the palette, if not as its section. */
  readonly name?: string
  readonly words: string
}

const account: readonly Setting[] = [
  { section: t.profile.title, words: t.paletteWords.profile },
  { section: t.identity.title, words: t.paletteWords.identity },
  { section: t.identity.title, name: t.palette.handle, words: t.paletteWords.handle },
  { section: t.account.signIn, name: t.ui.password, words: t.paletteWords.password },
  { section: t.ui.email, words: t.paletteWords.email },
  { section: t.birthDate.title, words: t.paletteWords.birthDate },
  { section: t.factors.section, words: t.paletteWords.factors },
  { section: t.securityChanges.section, words: t.paletteWords.securityChanges },
  { section: t.account.storedData, words: t.paletteWords.storedData },
  { section: t.move.outSection, name: t.move.out, words: t.paletteWords.move },
  { section: t.account.danger, words: t.paletteWords.danger },
]

const network: readonly Setting[] = [
  { section: t.network.ways, words: t.paletteWords.ways },
  { section: t.network.doctor, words: t.paletteWords.doctor },
  { section: t.network.relays, words: t.paletteWords.relays },
  { section: t.network.outgoing, words: t.paletteWords.outgoing },
  { section: t.network.pages, words: t.paletteWords.pages },
  { section: t.upstreams.title, words: t.paletteWords.upstreams },
  { section: t.friends.title, words: t.paletteWords.friends },
  { section: t.network.proxy, words: t.paletteWords.proxy },
  { section: t.backlinks.title, words: t.paletteWords.backlinks },
  { section: t.remoteRecords.title, words: t.paletteWords.remoteRecords },
]

/** On the Network screen of the desktop, and on the Server screen of a browser. */
const services: Setting = { section: t.network.services, words: t.paletteWords.services }

const networkOfDesktop: readonly Setting[] = [
  { section: t.network.address, words: t.paletteWords.publicAddress },
  { section: t.tunnel.title, words: t.paletteWords.tunnel },
  { section: t.connector.title, words: t.paletteWords.connector },
  { section: t.network.ways, name: t.palette.keepAwake, words: t.paletteWords.ways },
  services,
]

const copies: readonly Setting[] = [
  { section: t.copies.title, words: t.paletteWords.copies },
  ...(isAtServer
    ? [
        { section: t.copies.title, name: t.sheet.title, words: t.paletteWords.sheet },
        { section: t.copies.title, name: t.palette.restore, words: t.paletteWords.restore },
      ]
    : []),
  { section: t.dataCheck.title, words: t.paletteWords.dataCheck },
]

const oneFile: Setting = { section: t.backups.oneFile, words: t.paletteWords.exports }

const appearance: Setting = { name: t.settings.theme, words: t.paletteWords.appearance }

const appSettings: Setting = {
  section: t.settings.app,
  name: t.palette.startAtLogin,
  words: t.paletteWords.app,
}

/** Settings by the path of their screen. */
export const settings: readonly (readonly [path: string, settings: readonly Setting[]])[] = [
  ['/account', account],
  [
    '/apps',
    [
      { section: t.appPasswords.title, words: t.paletteWords.appPasswords },
      { section: t.apps.allowed, words: t.paletteWords.allowed },
      { section: t.sessions.title, words: t.paletteWords.sessions },
    ],
  ],
  [
    '/data',
    [
      { section: t.data.download, words: t.paletteWords.download },
      { section: t.data.media, words: t.paletteWords.media },
    ],
  ],
  ['/network', desktop ? [...network, ...networkOfDesktop] : network],
  ['/backups', desktop ? [...copies, oneFile] : copies],
  [
    '/server',
    [
      { section: t.server.port, words: t.paletteWords.port },
      { section: t.server.signUp, name: t.palette.invitations, words: t.paletteWords.signUp },
      { section: t.server.mail, words: t.paletteWords.mail },
      ...(desktop ? [] : [services]),
      { section: t.server.data, name: t.ui.dataFolder, words: t.paletteWords.dataFolder },
      { section: t.server.advanced, name: t.palette.logLevel, words: t.paletteWords.advanced },
    ],
  ],
  ['/settings', desktop ? [appearance, appSettings] : [appearance]],
  ['/', [{ section: t.connect.title, words: t.paletteWords.connect }]],
  ['/about', [{ section: t.about.updates, words: t.paletteWords.updates }]],
]
