import { expect, test } from 'vitest'
import { allowedAppName } from '../../../renderer/parts/apps/app-name.ts'
import { scopeWords } from '../../../renderer/parts/apps/scopes.ts'

test.each([
  ['blob:*/*', 'upload files of any kind'],
  ['blob?accept=image/*&accept=*/*', 'upload files of any kind'],
  ['blob:image/*', 'upload pictures'],
  ['blob?accept=video/*&accept=application/pdf', 'upload videos and files of the type application/pdf'],
  ['account:repo?action=manage', 'replace all your records'],
  ['account?attr=repo&action=manage', 'replace all your records'],
  ['account:email', 'see your email address'],
  ['account:email?action=read&action=manage', 'see and change your email address'],
  ['account:status?action=manage', 'account:status?action=manage'],
  ['identity:handle', 'change your handle'],
  ['identity?attr=handle', 'change your handle'],
  ['identity?attr=*', 'change your identity'],
  ['repo:app.bsky.feed.post?action=create', 'create posts'],
  ['repo:chat.bsky.actor.declaration?action=update', 'change chat settings'],
  // Other namespaces may use the same ends of names for anything.
  ['repo:com.evil.feed.post?action=create', 'create com.evil.feed.post'],
  ['repo:evil.example.graph.followList?action=delete', 'delete evil.example.graph.followList'],
  ['repo:app.bsky.feed.post.more?action=create', 'create app.bsky.feed.post.more'],
  [
    'repo?collection=app.bsky.feed.post&collection=com.evil.feed.post&action=create',
    'create posts and com.evil.feed.post',
  ],
])('the scope %s reads: %s', (scope, words) => {
  expect(scopeWords(scope)).toEqual([words])
})

test.each([
  ['https://app.example/client.json', 'app.example'],
  [
    'http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%3A8080%2Fcallback&scope=atproto',
    'An app at 127.0.0.1:8080/callback',
  ],
  ['http://localhost?redirect_uri=http%3A%2F%2F%5B%3A%3A1%5D%3A9090%2F', 'An app at [::1]:9090'],
  ['http://localhost', 'An app at 127.0.0.1'],
])('the app %s is listed as: %s', (client, name) => {
  expect(allowedAppName(client)).toBe(name)
})
