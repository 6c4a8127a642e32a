output "vault_arn" {
  description = "ARN of the vault."
  value       = aws_backup_vault.this.arn
}
