/** The documents: their length, their links, and the files, tests and commands that they name. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const list = (pattern: string | string[]) =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

const documents = list(['README.md', '.github/**/*.md', 'server/**/*.md'])
const lineCount = (file: string) => read(file).trimEnd().split('\n').length
/** The texts in backquotes. */
const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)
const section = (file: string, heading: string) =>
  read(file).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
/** The rows of the table in a section, as cells, without its head. */
const tableRows = (file: string, heading: string) =>
  section(file, heading)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '))

/** Tests are named by their path below `test/`, without `.test.ts`; a folder names all tests in it. */
const isTest = (name: string) =>
  [`test/${name}.test.ts`, `test/${name}`].some((path) => existsSync(join(root, path)))

test.each([
  ['README.md', 110],
  ['.github/ARCHITECTURE.md', 100],
  ['.github/CONTRIBUTING.md', 90],
  ['.github/TESTING-YOUR-APP.md', 120],
])('%s has at most %i lines', (file, limit) => {
  expect(lineCount(file)).toBeLessThanOrEqual(limit)
})

describe('links', () => {
  /** Links and pictures of Markdown and HTML, without addresses of the web and mail. */
  const targets = (file: string) =>
    [...read(file).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"\s]+)"/g)]
      .map(([, link, source = '']) => link ?? source)
      .filter((target) => !/^(https?|mailto):/.test(target))

  /** The fragment of a heading, as GitHub makes it. */
  const fragment = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')

  const fragments = (file: string) =>
    [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => fragment(text))

  test.each(documents)('in %s resolve', (file) => {
    const broken = targets(file).filter((target) => {
      const [path = '', anchor] = target.split('#')
      const linked = path === '' ? file : join(dirname(file), path).replaceAll('\\', '/')
      if (!existsSync(join(root, linked))) return true
      return anchor !== undefined && !fragments(linked).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('lead to every document', () => {
    const linked = documents.flatMap((file) =>
      targets(file).map((target) => join(dirname(file), target.split('#')[0] ?? '')),
    )
    const isLinked = (file: string) => linked.includes(join(file)) || /README|TEMPLATE/.test(file)
    expect(documents.filter((file) => !isLinked(file))).toEqual([])
  })
})

test('commands in the documents are scripts of package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/npm run ([a-z:]+)/g)].map(([, script = '']) => script),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((script) => !(script in scripts))).toEqual([])
})

test('source files in the documents exist, by path or by the end of it', () => {
  const files = list('{server,renderer,electron,build,test}/**/*.{ts,tsx,cts}')
  const named = documents.flatMap((file) => quoted(read(file)).map((name) => ({ file, name })))
  const sources = named.filter(({ name }) => /^\w[\w./-]*\.(ts|tsx|cts)$/.test(name))
  expect(sources.length).toBeGreaterThan(50)
  expect(sources.filter(({ name }) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
})

test('places of the interface in the documents have its texts', () => {
  const texts = list('renderer/strings/en/*.ts').map(read).join()
  const places = documents.flatMap((file) => [...read(file).matchAll(/\*\*([^*]+ › [^*]+)\*\*/g)])
  const named = places.flatMap(([, place = '']) => place.split(/\s*›\s*/))
  // A place of GitHub.
  const ofInterface = named.filter((name) => !['Security', 'Report a vulnerability'].includes(name))
  expect(ofInterface.length).toBeGreaterThan(10)
  expect(ofInterface.filter((name) => !texts.includes(`'${name}'`))).toEqual([])
})

describe('the rooms of the architecture', () => {
  const rooms = tableRows('.github/ARCHITECTURE.md', 'Rooms')
    .filter(([room = '']) => room.startsWith('`'))
    .map(([room = '', content = '', tests = '']) => ({
      place: room.slice(1, -1),
      content,
      tests: quoted(tests),
    }))

  test('exist, with the files that they name', () => {
    expect(rooms.length).toBeGreaterThan(20)
    const missing = rooms.flatMap(({ place, content }) => {
      const files = quoted(content).filter((name) => /^[\w./-]+(\/|\.(ts|cts|json|md))$/.test(name))
      const isThere = (file: string) => existsSync(join(root, place, file)) || existsSync(join(root, file))
      return [...(existsSync(join(root, place)) ? [] : [place]), ...files.filter((file) => !isThere(file))]
    })
    expect(missing).toEqual([])
  })

  test('take a short line each', () => {
    const lines = tableRows('.github/ARCHITECTURE.md', 'Rooms').map((cells) => `| ${cells.join(' | ')} |`)
    expect(lines.filter((line) => line.length > 200)).toEqual([])
  })

  test('name the tests of each, which exist', () => {
    expect(rooms.filter(({ tests }) => tests.length === 0).map(({ place }) => place)).toEqual([])
    expect(rooms.flatMap(({ tests }) => tests).filter((name) => !isTest(name))).toEqual([])
  })

  test('include every folder of the server', () => {
    const folders = new Set(list('server/**/*.ts').map((file) => `${dirname(file)}/`.replaceAll('\\', '/')))
    folders.delete('server/')
    const isNamed = (folder: string) => rooms.some(({ place }) => folder.startsWith(place))
    expect([...folders].filter((folder) => !isNamed(folder))).toEqual([])
  })
})

describe('decisions', () => {
  const decisions = list('.github/decisions/[0-9]*.md')

  test.each(decisions)('%s has a number, a date, a status and 10 to 15 lines', (file) => {
    const [title = '', , status] = read(file).split('\n')
    expect(title).toMatch(new RegExp(`^# ${Number(basename(file).slice(0, 4))}\\. \\S`))
    expect(status).toMatch(/^\d{4}-\d{2}-\d{2} · (accepted|(replaced|amended) by \d+)$/)
    expect(lineCount(file)).toBeGreaterThanOrEqual(10)
    expect(lineCount(file)).toBeLessThanOrEqual(15)
  })

  test('are numbered without gaps, and listed with their titles', () => {
    expect(decisions.map((file) => Number(basename(file).slice(0, 4)))).toEqual(
      decisions.map((_, index) => index + 1),
    )
    const titles = decisions.map((file) => `- [${read(file).split('\n')[0]?.slice(2)}](${basename(file)})`)
    expect(read('.github/decisions/README.md').match(/^- .*$/gm)).toEqual(titles)
  })
})

describe('the threats', () => {
  const threats = section('.github/SECURITY.md', 'Threats')
    .split('\n#### ')
    .slice(1)
    .map((text) => ({
      name: text.split('\n')[0] ?? '',
      tests: quoted(/^Tests:([\s\S]*?)\n$/m.exec(text)?.[1] ?? '').map((name) => name.replace(/\/$/, '')),
    }))

  test('name tests that exist, each at least one', () => {
    expect(threats.length).toBeGreaterThan(30)
    expect(threats.filter(({ tests }) => tests.length === 0).map(({ name }) => name)).toEqual([])
    const tests = threats.flatMap((threat) => threat.tests).filter((name) => !name.endsWith('.md'))
    expect(tests.filter((name) => !isTest(name))).toEqual([])
  })
})
