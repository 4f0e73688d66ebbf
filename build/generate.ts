/** Generates `lexicons/generated/` (types and validators) from the JSON under `lexicons/`, and the list of the handlers. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeApiIndex } from './api-index.ts'
import { once } from './once.ts'

const root = join(import.meta.dirname, '..')
const lexicons = join(root, 'lexicons')
const out = join(lexicons, 'generated')

const sources = ['lexicons/{com,app,chat}/**/*.json', 'build/generate.ts']

await once({ sources, stamp: join(out, '.stamp') }, () => {
  const options = [
    ['--lexicons', lexicons],
    ['--out', out, '--clear', '--indexFile', '--no-pretty'],
    ['--lib', '@atproto/lex-schema', '--importExt', '.ts'],
  ]
  const lex = join(root, 'node_modules/@atproto/lex/bin/lex')
  execFileSync(process.execPath, [lex, 'build', ...options.flat()], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // JSON leaves undefined properties out, so an optional one may have that value.
  for (const file of globSync(join(out, '**/*.ts'))) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"?:', '"?:undefined | '))
  }
})

writeApiIndex()
