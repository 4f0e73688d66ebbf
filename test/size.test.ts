/** The size of files and functions of the product, as the linter counts them: lines of code, without comments and empty ones. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const [fileLines, functionLines, factoryLines] = [200, 40, 140]

/** Longer files, with the reason. */
const files: Readonly<Record<string, string>> = {
  'electron/ground/bridge.ts': 'types of the contract with the page',
  'renderer/strings/en/copies.ts': 'texts',
  'renderer/strings/en/shell.ts': 'texts',
  'server/api/index.ts': 'generated',
  'server/app/tables/notifications.ts': 'the statements of one table',
  'server/federation/friends/friends.ts': 'one state machine',
  'server/federation/upstreams/stream.ts': 'one state machine',
  'server/operation/replicas/replicas.ts': 'creates all replicas, and stops them',
  'server/operation/replicas/places/webdav.ts': 'one protocol',
  'server/operation/conformance/vectors/data-model.ts': 'test vectors',
  'server/operation/conformance/vectors/syntax.ts': 'test vectors',
  'server/platform/config/config.ts': 'the table of settings',
  'server/platform/config/values.ts': 'the types of settings',
  'server/platform/network/client.ts': 'all requests to other servers pass it',
  'server/store/backups/salvage.ts': 'one decision over all damage',
  'server/store/database.ts': 'one state machine',
  'server/store/database/open-store.ts': 'the steps of one start',
  'server/store/files/files.ts': 'all calls of the file system',
  'server/store/journal/journal.ts': 'one format',
  'server/store/pages/sqlite.ts': 'all calls of SQLite',
  'server/store/tables/accounts.ts': 'the statements of one table',
  'server/testing/worlds/schema.ts': 'one format',
}

/** Longer functions that are no factories, with the reason. */
const functions: Readonly<Record<string, string>> = {
  'electron/desktop.ts runDesktop': 'the order of all parts',
  'server/api/com/core/admin/updateSubjectStatus.ts handler': 'one case for each kind of subject',
  'server/api/com/core/server/createAccount.ts handler': 'the order of all checks of a sign-up',
  'server/server.ts start': 'the order of all parts',
}

interface Found {
  readonly path: string
  readonly lines: number
  readonly isFile: boolean
  /** The first line of the function. */
  readonly text: string
}

/** Returns the files and functions that are longer than the limits. */
function findLong(): Found[] {
  const folder = mkdtempSync(join(tmpdir(), 'size-'))
  try {
    const rule = (maxLines: number) => ({ level: 'error', options: { maxLines, skipBlankLines: true } })
    const rules = {
      complexity: { noExcessiveLinesPerFunction: rule(functionLines) },
      style: { noExcessiveLinesPerFile: rule(fileLines) },
    }
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ linter: { rules } }))
    const only = ['complexity/noExcessiveLinesPerFunction', 'style/noExcessiveLinesPerFile']
    const output = lint([`--config-path=${folder}`, ...only.map((name) => `--only=${name}`)])
    return output.diagnostics.map(({ message, category, location: { path, start } }) => {
      const text = readFileSync(join(root, path), 'utf8').split('\n')[start.line - 1] ?? ''
      return { path, lines: Number(/\d+/.exec(message)?.[0]), isFile: category.endsWith('PerFile'), text }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Report {
  readonly diagnostics: readonly {
    readonly message: string
    readonly category: string
    readonly location: { readonly path: string; readonly start: { readonly line: number } }
  }[]
}

function lint(args: readonly string[]): Report {
  const script = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const all = [
    script,
    'lint',
    ...args,
    '--reporter=json',
    '--max-diagnostics=none',
    'server',
    'electron',
    'renderer',
  ]
  try {
    return JSON.parse(execFileSync(process.execPath, all, { cwd: root, encoding: 'utf8', stdio: 'pipe' }))
  } catch (error) {
    // It found something.
    return JSON.parse((error as { stdout: string }).stdout)
  }
}

/** A function whose own functions share a state, or a component with its events. */
const factory =
  /function (?:create|setup|open|start|begin|read)[A-Z]|function \w+Place\(|^(?:export )?function [A-Z]\w+\(/

const long = findLong()
const name = ({ path, text }: Found) => `${path} ${/(?:function )?(\w+)[(<]/.exec(text)?.[1]}`

test(`a file has at most ${fileLines} lines, or a reason`, () => {
  expect(
    long
      .filter(({ isFile }) => isFile)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(Object.keys(files).sort())
})

test(`a function has at most ${functionLines} lines, a factory ${factoryLines}, or a reason`, () => {
  const isFactory = ({ text, lines }: Found) => factory.test(text) && lines <= factoryLines
  const others = long.filter((found) => !found.isFile && !isFactory(found))
  expect(others.map(name).sort()).toEqual(Object.keys(functions).sort())
})
