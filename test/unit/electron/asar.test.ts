/**
 * The packed app reads its own files out of an archive, which only some calls of Electron's Node support. Every file that builds a
 * path of the app must use only those, and must not pass such a path to another program.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Overridden in Electron's `lib/node/asar-fs-wrapper.ts`. */
const supported = [
  'access',
  'existsSync',
  'opendir',
  'readFile',
  'readFileSync',
  'readdir',
  'stat',
  'statSync',
]
/** Calls on other folders, by the files that make them. */
const onOtherFolders: Readonly<Record<string, readonly string[]>> = {
  'electron/ground/folders.ts': ['mkdirSync'],
}

const files = globSync('{server,electron}/**/*.{ts,cts}', { cwd: root }).map((file) =>
  file.replaceAll('\\', '/'),
)
const buildsOwnPath = (file: string) =>
  /import\.meta\.(url|dirname|filename)|\bbuilt\b.*folders\.ts/.test(read(file))
const own = files.filter(buildsOwnPath)

function importedNames(file: string, modules: RegExp): string[] {
  return [...read(file).matchAll(/^import \{([^}]+)\} from '([^']+)'/gm)]
    .filter(([, , module]) => modules.test(module ?? ''))
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => name !== '' && !name.startsWith('type '))
}

test('files that build paths of the app are found', () => {
  expect(own).toEqual(
    expect.arrayContaining([
      'electron/ground/folders.ts',
      'electron/system/icons.ts',
      'server/platform/config/version.ts',
    ]),
  )
})

// protocol.ts gets its folder from page.ts.
test.each([...own, 'electron/ground/protocol.ts'])(
  '%s reads files of the app with supported calls only',
  (file) => {
    const allowed = [...supported, ...(onOtherFolders[file] ?? [])]
    expect(importedNames(file, /^node:fs(\/promises)?$/).filter((name) => !allowed.includes(name))).toEqual(
      [],
    )
    expect(importedNames(file, /^node:child_process$/)).toEqual([])
    expect(read(file)).not.toMatch(/shell\.openPath|\* as \w+ from 'node:fs/)
  },
)
