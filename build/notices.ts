/**
 * The licence texts of the packages in the program: production dependencies, and packages with code in the bundle of the
 * interface. Electron and Chromium bring theirs as files beside the executable.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'

const root = join(import.meta.dirname, '..')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}

/** Writes `notices.txt` into the bundle. */
export function notices(): Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((part) => part.type === 'chunk')
      const bundled = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap(packageOf))
      const source = textOf(new Set([...productionPackages(), ...bundled]))
      this.emitFile({ type: 'asset', fileName: 'notices.txt', source })
    },
  }
}

/** Returns the folder of the package that a module belongs to, or nothing for our modules. */
function packageOf(module: string): string[] {
  // Modules of the bundler begin with a zero byte.
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.slice(1) ?? []
}

function productionPackages(): string[] {
  type Locked = Record<string, { dev?: true; devOptional?: true }>
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Locked
  }
  return Object.entries(packages)
    .filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional)
    .map(([place]) => join(root, place))
}

/** Packages with the same texts share an entry. */
function textOf(folders: ReadonlySet<string>): string {
  const packages = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    const { name, version, license = 'no licence named' } = manifest
    return { title: `${name} ${version} (${license})`, text: licenceTexts(folder) || substitute(manifest) }
  })
  const byText = Map.groupBy(packages, ({ text }) => text)
  const entries = [...byText].map(([text, sharing]) => {
    const titles = new Set(sharing.map(({ title }) => title).toSorted())
    return `${[...titles].join('\n')}\n\n${text}\n`
  })
  return `Third-party software in Desktop PDS\n\n${entries.toSorted().join(`\n${'-'.repeat(80)}\n\n`)}`
}

/** Returns the texts of the licence files of a package, including files in a folder such as `licenses/`. */
function licenceTexts(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => /^(licen[cs]es?|copying|notice)\b(?!.*\.(js|ts|json|html)$)/i.test(name))
    .flatMap((entry) => {
      const place = join(folder, entry.name)
      return entry.isDirectory() ? readdirSync(place).map((name) => join(place, name)) : [place]
    })
    .toSorted((a, b) => basename(a).localeCompare(basename(b)))
    .map((file) => readFileSync(file, 'utf8').replaceAll('\r', '').trim())
    .join('\n\n')
}

/** The entry of a package without a licence file: its manifest, and the text if that names the MIT licence. */
function substitute({ license = '', author = 'its authors' }: Manifest): string {
  const holder = typeof author === 'string' ? author : author.name
  const statement = `The package has no licence file. Its manifest names the licence ${license} and ${holder}.`
  return /\bMIT\b/.test(license) ? `${statement}\n\n${mit}` : statement
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
