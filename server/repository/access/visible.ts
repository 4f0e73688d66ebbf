/**
 * Finds the repository of a request, if the caller may see it. `writer.ts` decides whether it may be written.
 */

import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import { type AccountStatus, statusOf } from '../../store/tables/account-status.ts'
import type { Account } from '../../store/tables/accounts.ts'
import { findHead } from '../tables/repos.ts'
import { findByIdentifier } from './identifier.ts'

const hidden: Record<AccountStatus, { name: string; message: string }> = {
  takendown: { name: 'RepoTakendown', message: 'This repository has been taken down' },
  suspended: { name: 'RepoSuspended', message: 'This repository is suspended' },
  deactivated: { name: 'RepoDeactivated', message: 'This repository is deactivated' },
}

/** Who reads. */
interface Reading {
  readonly did: string | undefined
  readonly isAdmin?: boolean
}

/**
 * Returns the account of a requested repository. The repository of an inactive account is visible to that account, which
 * may be migrating, and to the administrator.
 * @param repo handle or DID
 * @throws RepoNotFound, RepoTakendown, RepoSuspended, RepoDeactivated: a method that calls this declares them
 */
export function visibleRepo(db: Reader, repo: string, auth: Reading | undefined): Account {
  const account = findByIdentifier(db, repo)
  if (!account) throw notFound(repo)
  return ifVisible(account, auth)
}

/** As `visibleRepo`, for an account that was found. */
export function ifVisible(account: Account, auth: Reading | undefined): Account {
  const status = statusOf(account)
  if (status === undefined || auth?.did === account.did || auth?.isAdmin) return account
  throw new XrpcError(hidden[status].name, hidden[status].message)
}

/** As `visibleRepo`; returns the DID and the latest commit. */
export function visibleHead(db: Reader, repo: string, auth: Reading | undefined) {
  const { did } = visibleRepo(db, repo, auth)
  const head = findHead(db, did)
  if (!head) throw notFound(repo)
  return { did, head }
}

const notFound = (repo: string) => new XrpcError('RepoNotFound', `This server has no repository of ${repo}`)
