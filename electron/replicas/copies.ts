/** The page's calls on continuous copies: places and the recovery sheet. */

import { readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileFilter, powerMonitor } from 'electron'
import {
  type CredentialsKeeper,
  changeCredentials,
  forgetLostKey,
  loadCredentials,
  readCredentials,
} from '../../server/operation/replicas/credentials.ts'
import { readHead } from '../../server/operation/replicas/lease.ts'
import { openPlace } from '../../server/operation/replicas/places/open.ts'
import { ReplicaKey } from '../../server/operation/replicas/replica-key.ts'
import { nodeFiles, replaceFile } from '../../server/store/files/files.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, text } from '../ground/arguments.ts'
import type { PlaceInput } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { type CallsOf, call, outcome } from '../ground/calls.ts'
import { sheetText, t } from '../ground/strings.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { Secrets } from '../settings/secrets.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { chooseDestination, chooseFile, chooseFolder } from '../system/dialogs.ts'
import type { MainWindow } from '../window/window.ts'
import {
  FieldProblem,
  isPlaceInput,
  type NamedPlace,
  namePlace,
  type PlaceProblems,
  problemsOf,
} from './copy-places.ts'

export interface CopiesDeps {
  readonly dataDir: string
  readonly file: SettingsFile
  readonly secrets: Secrets
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly bus: Bus
  readonly log: Logger
  readonly copiesKeeper: CredentialsKeeper
}

const keyFiles: FileFilter = { name: t.copies.keyFiles, extensions: ['txt', 'key'] }
const maxKeyFileBytes = 100_000

export function setupCopies(deps: CopiesDeps): CallsOf<'copies'> {
  const { dataDir, file, server, window, log, bus, copiesKeeper } = deps
  followSystem(deps)
  const keepSheet = () => {
    file.set('sheetKept', true)
    bus.emit('settings')
  }
  const sheet = async () => ({
    key: (await loadCredentials(copiesKeeper, dataDir)).replicaKey.identity,
    places: knownPlaces(deps),
  })

  return {
    'copies.chooseFolder': call(args(), () => chooseFolder(window.browserWindow, t.copies.chooseFolder)),
    'copies.add': call(args(isPlaceInput), (input) => add(deps, input)),
    'copies.remove': outcome(args(text(2000)), (url) => remove(deps, url)),
    'copies.isElsewhere': call(args(), () => server.services?.operation.copies.isElsewhere() ?? false),
    'copies.continue': outcome(args(), async () => {
      await server.services?.operation.copies.continueHere()
      log.warn('this computer continues the server')
    }),
    'copies.sheet': outcome(args(), sheet),
    'copies.saveSheet': outcome(args(), async () => {
      const name = 'recovery-sheet.txt'
      const path = await chooseDestination(window.browserWindow, t.copies.saveSheet, name, keyFiles)
      if (path === undefined) return undefined
      await replaceFile(nodeFiles, path, Buffer.from(sheetText(await sheet())))
      keepSheet()
      return path
    }),
    'copies.keepSheet': call(args(), keepSheet),
    'copies.chooseKey': outcome(args(), async () => {
      const path = await chooseFile(window.browserWindow, t.copies.chooseKey, keyFiles)
      if (path === undefined) return undefined
      if ((await stat(path)).size > maxKeyFileBytes) throw new Error(t.copies.noKeyFile)
      return (await ReplicaKey.parse(await readFile(path, 'utf8'))).identity
    }),
  }
}

/** The URLs of the places of this server. */
export function knownPlaces({ server, file }: Pick<CopiesDeps, 'server' | 'file'>): readonly string[] {
  return server.services?.operation.copies.status().map(({ url }) => url) ?? file.get('copies')
}

/** Copies before the computer sleeps. Restarts the server when its key can be read at last. */
function followSystem({ secrets, server }: CopiesDeps): void {
  const copies = () => server.services?.operation.copies
  const sleepMs = 5000
  powerMonitor.on('suspend', () => void copies()?.flush(sleepMs))
  let wasLoaded = secrets.isLoaded('copies')
  secrets.onLateLoad(() => {
    const isFirst = !wasLoaded && secrets.isLoaded('copies')
    wasLoaded ||= isFirst
    if (isFirst) void server.restart()
  })
}

/** Adds a place. A known one gets a new password. */
async function add(deps: CopiesDeps, input: PlaceInput): Promise<PlaceProblems> {
  const { file, server, bus, log } = deps
  const known = file.get('copies')
  try {
    const named = namePlace(input)
    const isKnown = known.includes(named.url)
    if (isKnown && !named.credentials) throw new FieldProblem('address', t.copies.known)
    await check(deps, named)
    if (!isKnown) file.set('copies', [...known, named.url])
  } catch (error) {
    log.warn({ err: error }, 'place of copies cannot be used')
    return problemsOf(error, input)
  }
  bus.emit('settings')
  await server.restart()
  return {}
}

/** Opens a place, and makes sure that it has copies of this server, or none. Then keeps its credentials. @throws Error with a sentence for people */
async function check(
  { file, copiesKeeper, dataDir }: CopiesDeps,
  { url, credentials }: NamedPlace,
): Promise<void> {
  if (url.startsWith('file:') && !relative(dataDir, fileURLToPath(url)).startsWith('..')) {
    throw new FieldProblem('address', t.copies.ownFolder)
  }
  const place = await openPlace(url, { credentials })
  await place.list('')
  const head = await readHead(place)
  if (!head && file.get('copies').length === 0) await forgetLostKey(copiesKeeper, dataDir)
  const { places, replicaKey } = await loadCredentials(copiesKeeper, dataDir)
  if (head && head.key !== replicaKey.fingerprint) throw new FieldProblem('address', t.copies.foreign)
  if (credentials) await changeCredentials(copiesKeeper, { places: { ...places, [url]: credentials } })
}

async function remove({ file, server, copiesKeeper, bus }: CopiesDeps, url: string): Promise<void> {
  const known = file.get('copies')
  if (!known.includes(url)) throw new Error(t.copies.unknown)
  const { places = {} } = await readCredentials(copiesKeeper)
  const { [url]: _, ...others } = places
  await changeCredentials(copiesKeeper, { places: others })
  file.set(
    'copies',
    known.filter((one) => one !== url),
  )
  bus.emit('settings')
  await server.restart()
}
