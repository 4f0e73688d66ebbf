/** Where the project is hosted, from package.json. Only GitHub has a list of releases that can be checked for updates. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { built } from './folders.ts'

const { repository } = JSON.parse(readFileSync(join(built, '../package.json'), 'utf8')) as {
  repository?: string | { url: string }
}

const address = typeof repository === 'string' ? repository : repository?.url

/** The repository's web page. */
export const sourcePage: string | undefined = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/.exec(address ?? '')?.[1]

const [, path] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)$/.exec(sourcePage ?? '') ?? []
export const releaseFeed: URL | undefined = path
  ? new URL(`https://api.github.com/repos/${path}/releases/latest`)
  : undefined
