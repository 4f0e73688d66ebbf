/**
 * The settings that the owner changes in the interface. For a server of the command line they are in a file of the data folder, which
 * flags and variables override; most apply at the next start. The desktop has settings of its own.
 */
import { join } from 'node:path'
import { type Files, nodeFiles, readJson, replaceJson } from '../../store/files/files.ts'
import { createSerializer } from '../../util/serialize.ts'
import { type Config, ConfigError, type ConfigSource, defaultText, givenBy, problemWith } from './config.ts'

/** Those that are edited as texts, in the desktop, too. */
export const keptTexts = [
  'port',
  'userDomains',
  'inviteInterval',
  'aliases',
  'plcUrl',
  'relays',
  'appViewDid',
  'appViewUrl',
  'backlinkStreamUrl',
  'backlinkIndexUrl',
] as const satisfies readonly (keyof Config)[]

/** None of them is secret, or decides from where the server can be reached. */
export const keptNames = [
  ...keptTexts,
  'inviteRequired',
  'dailyBackups',
  'logLevel',
] as const satisfies readonly (keyof Config)[]
export type KeptName = (typeof keptNames)[number]

/** Settings that a session changes alone. The others decide which servers are trusted, and where clients send their tokens. */
const changedBySession: ReadonlySet<KeptName> = new Set([
  'inviteRequired',
  'inviteInterval',
  'dailyBackups',
  'logLevel',
])
/** Whether a change takes the main password and the second step of the owner. */
export const isProtected = (name: KeptName) => !changedBySession.has(name)

/** Changed by a method of its own, which takes a proof: it decides where copies go. */
const provenNames = ['copies'] as const satisfies readonly (keyof Config)[]
export type ProvenName = (typeof provenNames)[number]

const storedNames = [...keptNames, ...provenNames]
type StoredName = KeptName | ProvenName
/** As texts. An empty one stands for the default. */
export type KeptTexts = { readonly [Name in StoredName]?: string }

export interface KeptSetting {
  readonly name: KeptName
  /** Its text at the next start. Empty for the default. */
  readonly value: string
  /** Its default. */
  readonly fallback: string
  /** The flag or the variable that sets it, so that a change would have no effect. */
  readonly fixedBy: string | undefined
  /** Whether the server runs with another value until its next start. */
  readonly isWaiting: boolean
}

export interface KeptSettings {
  /** Path of the file. */
  readonly file: string
  list(): readonly KeptSetting[]
  /** Returns a sentence per setting with a problem, for changes that would not be saved. */
  problemsWith(changes: KeptTexts): KeptTexts
  /** The text of a setting that is not listed, and the flag or variable that sets it. */
  proven(name: ProvenName): { readonly text: string; readonly setBy: string | undefined }
  /** Saves all changes, or none if a value is wrong. @returns a sentence per setting with a problem */
  change(changes: KeptTexts): Promise<KeptTexts>
}

interface Options extends ConfigSource {
  readonly dataDir: string
  /** As `readKept` returned them at the start. */
  readonly kept: KeptTexts
  /** Apply changes while the server runs. */
  readonly apply: { readonly [Name in KeptName]?: (text: string) => void }
  readonly files?: Files
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'settings.json')
}

/** Reads the file; empty if there is none. @throws ConfigError if it has been damaged */
export async function readKept(dataDir: string, files: Files = nodeFiles): Promise<KeptTexts> {
  return keptIn(await readContent(dataDir, files), fileOf(dataDir))
}

type Content = Readonly<Record<string, unknown>>

async function readContent(dataDir: string, files: Files): Promise<Content> {
  const file = fileOf(dataDir)
  const content = (await files.list(dataDir)).includes('settings.json')
    ? await readJson<Content>(files, file)
    : {}
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw damaged(file)
  return content
}

function keptIn(content: Content, file: string): KeptTexts {
  const kept: { [Name in StoredName]?: string } = {}
  for (const name of storedNames) {
    const text = content[name] ?? ''
    if (typeof text !== 'string' || problemWith(name, text) !== undefined) throw damaged(file, name)
    if (text !== '') kept[name] = text
  }
  return kept
}

function damaged(file: string, name?: string): ConfigError {
  const what = name === undefined ? 'is damaged' : `has an invalid value of ${name}`
  return new ConfigError(`${file} ${what}. Correct it, or delete it for the defaults.`)
}

export function openKeptSettings({ dataDir, apply, files = nodeFiles, ...source }: Options): KeptSettings {
  let kept = source.kept
  const textOf = (name: StoredName) => givenBy(name, source)?.text ?? kept[name] ?? ''
  const running = new Map(keptNames.map((name) => [name, textOf(name)]))
  const serialize = createSerializer()

  const problemsWith = (changes: KeptTexts) => problemsOf(changes, textOf, source)

  async function change(changes: KeptTexts): Promise<KeptTexts> {
    const problems = problemsWith(changes)
    if (Object.keys(problems).length > 0) return problems
    const file = fileOf(dataDir)
    // The file may have been edited meanwhile, and have members of a newer version.
    const content = await readContent(dataDir, files)
    const entries = Object.entries({ ...content, ...changes }).filter(([, text]) => text !== '')
    const changed = Object.fromEntries(entries)
    const changedTexts = keptIn(changed, file)
    await replaceJson(files, file, changed)
    kept = changedTexts
    for (const [name, applyNow] of Object.entries(apply) as [KeptName, (text: string) => void][]) {
      if (changes[name] === undefined) continue
      applyNow(changes[name] || defaultText(name, source.env))
      running.set(name, textOf(name))
    }
    return {}
  }

  return {
    file: fileOf(dataDir),
    list: () =>
      keptNames.map((name) => ({
        name,
        value: textOf(name),
        fallback: defaultText(name, source.env),
        fixedBy: givenBy(name, source)?.by,
        isWaiting: textOf(name) !== running.get(name),
      })),
    problemsWith,
    proven: (name) => ({ text: textOf(name), setBy: givenBy(name, source)?.by }),
    change: (changes) => serialize(() => change(changes)),
  }
}

function problemsOf(
  changes: KeptTexts,
  textOf: (name: StoredName) => string,
  source: ConfigSource,
): KeptTexts {
  const problems: { [Name in StoredName]?: string } = {}
  for (const name of storedNames) {
    const text = changes[name]
    if (text === undefined) continue
    const given = givenBy(name, source)
    const problem = given ? `This is set by ${given.by}.` : problemOf(name, text)
    if (problem) problems[name] = problem
  }
  if (joint.every((name) => changes[name] === undefined)) return problems
  const after = Object.fromEntries(joint.map((name) => [name, changes[name] ?? textOf(name)]))
  return { ...problemsOfAll(after), ...problems }
}

function problemOf(name: StoredName, text: string): string | undefined {
  return name === 'port' ? portProblem(text) : problemWith(name, text)
}

/** Returns what is wrong with a port of the owner. 0 is for the command line: it is another one at each start, but clients store the address. */
export function portProblem(text: string): string | undefined {
  const isValid = text === '' || (problemWith('port', text) === undefined && Number(text) > 0)
  return isValid ? undefined : 'This must be a port from 1 to 65535.'
}

const joint = ['appViewDid', 'appViewUrl'] as const
type Joint = (typeof joint)[number]

/** Returns the problems of texts that are each valid by themselves. */
export function problemsOfAll({ appViewDid, appViewUrl }: Pick<KeptTexts, Joint>): Pick<KeptTexts, Joint> {
  return {
    // The server does not start with only one of them.
    ...(appViewDid && !appViewUrl && { appViewUrl: 'Fill in the address of the app view too.' }),
    ...(appViewUrl && !appViewDid && { appViewDid: 'Fill in the DID of the app view too.' }),
  }
}
