/** What makes one bundle of modules that find other files by their own address. */
import { readFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const root = join(import.meta.dirname, '../..')

/** The path of one of our modules in the project, such as `server/main.ts`. Undefined for packages. */
function pathOf(id: string): string | undefined {
  const path = relative(root, id).replaceAll('\\', '/')
  return /^(?:server|build|lexicons)\//.test(path) ? path : undefined
}

const placeholder = (path: string) => `__ADDRESS_OF__(${JSON.stringify(path)})`

/**
 * Gives each module the address that it has without the bundle, such as `dist/server/main.js`, so that its paths to workers, the
 * interface and package.json stay right. WebAssembly files, which modules resolve in packages, become files of the bundle.
 */
export function addresses(): Plugin {
  return {
    name: 'addresses',
    enforce: 'pre',
    transform(code, id) {
      const path = pathOf(id)
      if (path === undefined || !code.includes('import.meta.')) return undefined
      const built = path.replace(/^(?=server|lexicons)/, 'dist/').replace(/\.ts$/, '.js')
      return code
        .replaceAll(/import\.meta\.resolve\((['"])(.+?)\1\)/g, (_match, _quote, name: string) => {
          const fileName = `dist/wasm/${basename(name)}`
          const source = readFileSync(fileURLToPath(import.meta.resolve(name)))
          this.emitFile({ type: 'asset', fileName, source })
          return placeholder(fileName)
        })
        .replaceAll('import.meta.url', placeholder(built))
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(/__ADDRESS_OF__\("(.+?)"\)/g, (_match, path: string) => {
        const from = posix.relative(dirname(fileName), path)
        return `new URL(${JSON.stringify(from)}, import.meta.url).href`
      })
    },
  }
}

/** Names the commands in messages as users of the package call them: `npm run backup -- --status` is `desktop-pds backup --status`. */
export function commandNames(): Plugin {
  return {
    name: 'command-names',
    enforce: 'pre',
    transform(code, id) {
      if (!pathOf(id)?.startsWith('server/')) return undefined
      return code.replaceAll(
        /npm run (serve|backup|restore|move)\b(?: (\[?)-- )?/g,
        (match, name: string, bracket = '') =>
          `desktop-pds ${name}${match.endsWith(' ') ? ` ${bracket}` : ''}`,
      )
    },
  }
}

/** Fails if code of a package is in the bundle whose licence is absent from the notices. */
export function checkNotices(notices: string): Plugin {
  return {
    name: 'check-notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
      const folders = modules.flatMap(
        (id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.slice(1) ?? [],
      )
      for (const folder of new Set(folders)) {
        const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
        if (!notices.includes(`\n${name} ${version} (`)) throw new Error(`No licence of ${name} ${version}`)
      }
    },
  }
}
