/**
 * `npm run pack`: makes `dist/package/`, the program without Electron and with all packages in one bundle, and a tarball of it.
 * `node build/package/pack.ts [folder]` makes them in another folder.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { entries, exported, optional, peers, schema } from './entries.ts'
import { addresses, checkNotices, commandNames } from './plugins.ts'
import { copyTypes } from './types.ts'

const root = join(import.meta.dirname, '../..')
const folder = resolve(process.argv[2] ?? join(root, 'dist'))
const out = join(folder, 'package')
const withoutExtension = (file: string) => file.slice(0, -'.ts'.length)

rmSync(out, { recursive: true, force: true })
const notices = readFileSync(join(root, 'dist/renderer/notices.txt'), 'utf8')
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  plugins: [addresses(), commandNames(), checkNotices(notices)],
  ssr: { noExternal: true, external: [...Object.keys(peers), ...optional] },
  // Packages that are CommonJS read these.
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  build: {
    ssr: true,
    outDir: out,
    copyPublicDir: false,
    emptyOutDir: false,
    emitAssets: true,
    minify: false,
    target: 'node22',
    rolldownOptions: {
      input: entries(),
      output: {
        entryFileNames: 'dist/[name].js',
        chunkFileNames: 'dist/chunks/[name]-[hash].js',
      },
      checks: { invalidAnnotation: false },
    },
  },
})

const types = Object.values(exported).map((file) => withoutExtension(file).replace(/^server\//, ''))
copyTypes(join(root, 'dist/server'), join(out, 'dist/server'), types, Object.keys(peers))

const files: Readonly<Record<string, string>> = {
  'build/package/bin.cjs': 'bin.js',
  'build/package/start.cjs': 'dist/start.cjs',
  'build/package/README.md': 'README.md',
  'dist/server/util/check-node.cjs': 'dist/server/util/check-node.cjs',
  'dist/renderer': 'dist/renderer',
  LICENSE: 'LICENSE',
  [schema]: 'world.schema.json',
}
for (const [from, to] of Object.entries(files)) cpSync(join(root, from), join(out, to), { recursive: true })
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), notices)
// `bin.js` stays CommonJS.
writeFileSync(join(out, 'dist/package.json'), '{ "type": "module" }\n')
chmodSync(join(out, 'bin.js'), 0o755)
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)

const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
  cwd: out,
  encoding: 'utf8',
  shell: process.platform === 'win32',
})
process.stdout.write(`${join(folder, tarball.trim())}\n`)

function manifest(): object {
  const { name, version, description, license, author, homepage, repository, engines, v8Flags } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const code = Object.entries(exported).map(([path, file]) => {
    const built = `./dist/${withoutExtension(file)}`
    return [path, { types: `${built}.d.ts`, default: `${built}.js` }]
  })
  return {
    ...{ name, version, description, license, author, homepage, repository },
    keywords: ['atproto', 'pds', 'testing'],
    engines: { node: engines.node },
    bin: { [name]: 'bin.js' },
    exports: {
      ...Object.fromEntries(code),
      './world.schema.json': './world.schema.json',
      './package.json': './package.json',
    },
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((peer) => [peer, { optional: true }])),
    v8Flags,
  }
}
