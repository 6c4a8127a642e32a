# Scheduled backups of tables, with a copy in a second region if one is given.

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 5.80"
      configuration_aliases = [aws.copy]
    }
  }
}

resource "aws_backup_vault" "this" {
  name = var.vault_name
  tags = var.tags
}

resource "aws_backup_vault" "copy" {
  count    = var.copies ? 1 : 0
  provider = aws.copy

  name = var.vault_name
  tags = var.tags
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["backup.amazonaws.com"]
    }
  }
}

data "aws_partition" "current" {}

resource "aws_iam_role" "backup" {
  name               = "${var.vault_name}-role"
  assume_role_policy = data.aws_iam_policy_document.assume.json
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "backup" {
  for_each = toset(["AWSBackupServiceRolePolicyForBackup", "AWSBackupServiceRolePolicyForRestores"])

  role       = aws_iam_role.backup.name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/service-role/${each.value}"
}

resource "aws_backup_plan" "this" {
  for_each = var.plans

  name = each.value.name
  tags = var.tags

  rule {
    rule_name         = "${each.key}_backup"
    target_vault_name = aws_backup_vault.this.name
    schedule          = each.value.schedule

    lifecycle {
      delete_after = each.value.retention_days
    }

    dynamic "copy_action" {
      for_each = aws_backup_vault.copy

      content {
        destination_vault_arn = copy_action.value.arn

        lifecycle {
          delete_after = each.value.retention_days
        }
      }
    }
  }
}

resource "aws_backup_selection" "this" {
  for_each = var.plans

  name         = each.value.selection_name
  plan_id      = aws_backup_plan.this[each.key].id
  iam_role_arn = aws_iam_role.backup.arn
  resources    = each.value.table_arns
}
