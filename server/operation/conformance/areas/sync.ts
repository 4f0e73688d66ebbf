/** What other servers read of all repositories. */
import { outputOf } from '../answers.ts'
import { archiveOf, repositoryOf } from '../repository.ts'
import { must, type Requirement } from '../requirement.ts'
import { lexicon } from '../sources.ts'
import type { Target } from '../target.ts'
import { expect, expectSame, Skipped } from '../verdict.ts'

const listRepos = 'com.atproto.sync.listRepos'

interface Listed {
  readonly did: string
  readonly head: string
  readonly rev: string
  readonly active?: boolean
}

/** Pages of a large server that are read. */
const maxPages = 5

async function pagesOf(target: Target, limit: number): Promise<{ repos: Listed[]; isComplete: boolean }> {
  const repos: Listed[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const query = { limit: String(limit), ...(cursor && { cursor }) }
    const output = outputOf(await target.call(listRepos, { query }))
    expect(output.repos.length <= limit, `a page of ${limit} has ${output.repos.length}`)
    repos.push(...output.repos)
    cursor = output.cursor
    if (!cursor) return { repos, isComplete: true }
  }
  return { repos, isComplete: false }
}

export const sync: readonly Requirement[] = [
  must(
    'sync.repos.listed',
    'listRepos has each repository with its latest commit',
    lexicon(listRepos),
    async (target) => {
      const { did } = await repositoryOf(target)
      const { repos, isComplete } = await pagesOf(target, 1000)
      const found = repos.find((repo) => repo.did === did)
      if (!found && !isComplete) throw new Skipped('the server lists more repositories than are read')
      expect(found, `${did} is absent`)
      const latest = outputOf(await target.call('com.atproto.sync.getLatestCommit', { query: { did } }))
      expectSame([found.head, found.rev], [latest.cid, latest.rev], 'head and rev')
    },
  ),
  must(
    'sync.repos.pages',
    'The pages of listRepos have each repository once',
    lexicon(listRepos),
    async (target) => {
      const { repos } = await pagesOf(target, 1)
      const dids = repos.map(({ did }) => did)
      expectSame(dids, [...new Set(dids)], 'the repositories')
    },
  ),
  must(
    'sync.status.active',
    'getRepoStatus says that the repository is active, with its revision',
    lexicon('com.atproto.sync.getRepoStatus'),
    async (target) => {
      const { did } = await repositoryOf(target)
      await archiveOf(target)
      const status = outputOf(await target.call('com.atproto.sync.getRepoStatus', { query: { did } }))
      const latest = outputOf(await target.call('com.atproto.sync.getLatestCommit', { query: { did } }))
      expectSame([status.did, status.active], [did, true], 'did and active')
      expect(status.rev === undefined || status.rev === latest.rev, `rev is ${status.rev}`)
    },
  ),
]
