/** The channel table: every call of the bridge, with the check of its arguments and its handler. */

import { createServer } from 'node:net'
import { isEmailAddress } from '../../server/platform/mail/address.ts'
import { createMailer } from '../../server/platform/mail/mailer.ts'
import * as outbox from '../../server/platform/mail/outbox.ts'
import { mailFor } from '../../server/platform/mail/templates.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, members, oneOf, optional, text } from '../ground/arguments.ts'
import { type ConnectorInput, type Outcome, tunnelPorts } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import type { Backups } from '../replicas/backups.ts'
import type { Copies } from '../replicas/copies.ts'
import type { CopyNotices } from '../replicas/copy-notices.ts'
import { isPlaceInput } from '../replicas/copy-places.ts'
import type { Restores } from '../replicas/restore.ts'
import { isRestoreSource } from '../replicas/restore-sources.ts'
import type { Actions } from '../server/actions.ts'
import type { Quitting } from '../server/quit.ts'
import { removeFactors } from '../server/second-factors.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { SettingsControl } from '../server/settings-control.ts'
import { isMailSettings } from '../settings/mail-settings.ts'
import { isSettingsChange } from '../settings/settings.ts'
import type { Logs } from '../system/logs.ts'
import type { Updates } from '../system/updates.ts'
import type { Connector } from '../tunnels/connector.ts'
import type { Tunnel } from '../tunnels/tunnel.ts'
import type { DesktopTray } from '../window/tray.ts'
import { isAnswer } from './answer.ts'
import type { Calls } from './ipc.ts'

export interface CallsDeps {
  readonly dataDir: string
  readonly logs: Logs
  readonly log: Logger
  readonly bus: Bus
  readonly server: EmbeddedServer
  readonly quitting: Quitting
  readonly settings: SettingsControl
  readonly updates: Updates
  readonly actions: Actions
  readonly backups: Backups
  readonly copies: Copies
  readonly restores: Restores
  readonly copyNotices: CopyNotices
  readonly tunnel: Tunnel
  readonly connector: Connector
  readonly tray: DesktopTray
}

const none = args()
const name = text(200)
const secret = text(1000)
const time = text(100)

export function createCalls(deps: CallsDeps): Calls {
  const {
    dataDir,
    server,
    settings,
    tray,
    backups,
    copies,
    restores,
    updates,
    actions,
    quitting,
    logs,
    tunnel,
    connector,
  } = deps

  const reportingOutbox = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    deps.bus.emit('outbox')
    return result
  }

  return {
    'server.state': { accepts: none, handle: () => server.state },
    'server.start': { accepts: none, handle: () => server.start() },
    'server.stop': { accepts: none, handle: () => server.stop() },
    'server.restart': { accepts: none, handle: () => server.restart() },
    'server.freePort': { accepts: none, handle: findFreePort },

    'settings.view': { accepts: none, handle: () => settings.view(tray.isShown) },
    'settings.change': { accepts: args(isSettingsChange), handle: (changes) => settings.change(changes) },
    'mail.change': {
      accepts: args(isMailSettings, optional(secret)),
      handle: (mail, password) => settings.changeMail(mail, password),
    },
    'mail.test': {
      accepts: args(isMailSettings, optional(secret), text(500)),
      handle: (mail, password, to) => settings.tryMail(mail, password, to),
    },

    'outbox.list': { accepts: none, handle: () => outbox.listOutbox(dataDir) },
    'outbox.delete': {
      accepts: args(name),
      handle: (id) => reportingOutbox(outbox.deleteMessage(dataDir, id)),
    },
    'outbox.restore': {
      accepts: args(name),
      handle: (id) => reportingOutbox(outbox.restoreMessage(dataDir, id)),
    },
    'outbox.test': {
      accepts: args(text(500)),
      handle: (to) => reportingOutbox(sendTestMessage(to, deps)),
    },

    'backups.make': { accepts: none, handle: backups['backups.make'] },
    'backups.check': { accepts: args(time), handle: backups['backups.check'] },
    'backups.replaced': { accepts: none, handle: backups['backups.replaced'] },
    'restore.undo': { accepts: args(name), handle: restores['restore.undo'] },
    'backups.forget': { accepts: args(name), handle: backups['backups.forget'] },
    'backups.export': { accepts: args(optional(secret)), handle: backups['backups.export'] },
    'restore.chooseFile': { accepts: none, handle: restores['restore.chooseFile'] },
    'restore.points': { accepts: args(isRestoreSource), handle: restores['restore.points'] },
    'restore.preview': {
      accepts: args(isRestoreSource, optional(time)),
      handle: restores['restore.preview'],
    },
    'restore.run': {
      accepts: args(isRestoreSource, optional(time), optional(text(4000))),
      handle: restores['restore.run'],
    },
    'restore.cancel': { accepts: none, handle: restores['restore.cancel'] },
    'salvage.preview': { accepts: none, handle: restores['salvage.preview'] },
    'salvage.run': {
      accepts: args(oneOf('database', 'changed', 'backup')),
      handle: restores['salvage.run'],
    },
    'repository.export': { accepts: args(text(500)), handle: backups['repository.export'] },

    'factors.remove': { accepts: args(text(500)), handle: (identifier) => removeFactors(server, identifier) },

    'copies.chooseFolder': { accepts: none, handle: copies['copies.chooseFolder'] },
    'copies.add': { accepts: args(isPlaceInput), handle: copies['copies.add'] },
    'copies.remove': { accepts: args(text(2000)), handle: copies['copies.remove'] },
    'copies.isElsewhere': { accepts: none, handle: copies['copies.isElsewhere'] },
    'copies.continue': { accepts: none, handle: copies['copies.continue'] },
    'copies.sheet': { accepts: none, handle: copies['copies.sheet'] },
    'copies.saveSheet': { accepts: none, handle: copies['copies.saveSheet'] },
    'copies.keepSheet': { accepts: none, handle: copies['copies.keepSheet'] },
    'copies.chooseKey': { accepts: none, handle: copies['copies.chooseKey'] },

    'tunnel.view': { accepts: none, handle: tunnel.view },
    'tunnel.open': { accepts: args(oneOf(...tunnelPorts)), handle: tunnel.open },
    'tunnel.close': { accepts: none, handle: tunnel.close },
    'tunnel.keepHandle': { accepts: args(text(500)), handle: tunnel.keepHandle },
    'tunnel.openPage': { accepts: none, handle: tunnel.openPage },

    'connector.view': { accepts: none, handle: connector.view },
    'connector.open': { accepts: args(isConnectorInput), handle: connector.open },
    'connector.close': { accepts: none, handle: connector.close },

    'logs.tail': { accepts: none, handle: () => logs.tail() },

    'updates.check': { accepts: none, handle: updates.check },
    'app.openFolder': {
      accepts: args(oneOf('data', 'backups', 'logs')),
      handle: withoutResult(actions.openFolder),
    },
    'app.openPage': {
      accepts: args(oneOf('endpoint', 'notices', 'update', 'source', 'officialClient')),
      handle: withoutResult(actions.openPage),
    },
    'app.openAnswer': { accepts: args(isAnswer), handle: actions.openAnswer },
    'app.quit': { accepts: none, handle: withoutResult(quitting.quit) },
  }
}

/** A pasted command is longer than its token. */
const isConnectorInput = members<ConnectorInput>({ host: text(500), token: text(4000) })

function withoutResult<A extends unknown[]>(work: (...given: A) => void): (...given: A) => undefined {
  return (...given) => {
    work(...given)
    return undefined
  }
}

/** Sends a message in the server's format, with a code that is not valid. */
async function sendTestMessage(to: string, { dataDir, server, log }: CallsDeps): Promise<Outcome> {
  if (!isEmailAddress(to)) return { ok: false, message: 'This is not an email address.' }
  const mailer = createMailer({
    smtpUrl: undefined,
    from: 'no-reply@localhost',
    dataDir,
    now: () => new Date(),
    log,
  })
  const content = mailFor('confirmEmail', {
    handle: 'you.test',
    server: server.endpoint,
    code: 'TESTS-TESTS',
  })
  await mailer.send({ to, ...content })
  return { ok: true, value: undefined }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
