import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';

// n8n-core writes its configuration and binaries below this folder; without it, it would use the home folder.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-'));
process.env.N8N_ENCRYPTION_KEY = 'test';
process.env.N8N_LOG_LEVEL = 'silent';
