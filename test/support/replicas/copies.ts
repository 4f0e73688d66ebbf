/** What tests of copies share: posts of `owner`, and commands beside a server. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestServer } from '../server/server.ts'
import { owner } from '../server/setup.ts'

const collection = 'app.example.feed.post'

/** @param more further properties of the post */
export function post(at: TestServer, text: string, more: object = {}) {
  const record = { text, createdAt: '2030-01-01T00:00:00Z', ...more }
  return at.post(
    'com.core.repo.createRecord',
    { repo: owner.did, collection, record, validate: false },
    owner,
  )
}

/** Returns the texts of all posts, sorted. */
export async function textsAt(there: TestServer): Promise<string[]> {
  const { body } = await there.get('com.core.repo.listRecords', { repo: owner.did, collection })
  return body.records.map(({ value }: { value: { text: string } }) => value.text).toSorted()
}

/** Runs a command of `server/operation/cli` without a terminal, and returns its output. */
export async function runCommand(command: string, args: readonly string[], env = {}): Promise<string> {
  const script = fileURLToPath(new URL(`../../../server/operation/cli/${command}.ts`, import.meta.url))
  const options = { env: { ...process.env, ...env } }
  return (await promisify(execFile)(process.execPath, ['--no-warnings', script, ...args], options)).stdout
}
