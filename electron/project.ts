/** Where the project is at home, as the package says; a build that does not say has no releases to look at. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { built } from './folders.ts'

const { repository } = JSON.parse(readFileSync(join(built, '../package.json'), 'utf8')) as {
  repository?: string | { url: string }
}

const address = typeof repository === 'string' ? repository : repository?.url
const [, path] = /^(?:git\+)?https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(address ?? '') ?? []

export const sourcePage: string | undefined = path && `https://github.com/${path}`
export const releaseFeed: URL | undefined = path
  ? new URL(`https://api.github.com/repos/${path}/releases/latest`)
  : undefined
